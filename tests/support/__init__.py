"""What tests share: strategies, small documents and corpora, fake models."""
