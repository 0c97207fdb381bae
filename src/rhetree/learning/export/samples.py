"""English of several kinds, to see how large the numbers inside an encoder get."""

_TEXT = """\
The committee will meet again on Tuesday , when it is expected to publish its report .
If you add the flour too quickly , the sauce will be full of lumps , so take your time .
Although the bridge had been closed since March , several drivers told us that they still used it .
Yes .
" I do n't think so , " she said , turning away from the window .
In 2019 , about 3.4 million people ( 12 % of the population ) lived within 5 km of the coast .
He wrote the letter to thank his sister , who had paid for the journey .
What are you going to do after that ?
The method was first described by Baker et al. ( 1987 ) ; it has since been applied to proteins , polymers and glasses .
Click on " Settings " , choose a name , and press Enter to save the file .
They walked , and walked , and at last they saw the lights of the town .
Because prices rose faster than wages , many families had to borrow money in order to pay the rent .
um , well , I mean , it 's not like we did n't try , right ?
As far as I know , nobody has ever seen the original manuscript .
Table 2 : Mean values for each group , with standard deviations in brackets
She studied law in Vienna before moving to Buenos Aires , where she opened a bookshop .
Please send your questions to help@example.org or visit https://www.example.org/faq .
The cat sat on the mat .
Our results show that the treatment reduced pain , but that the effect disappeared within six weeks .
Nevertheless , the government insisted that the plan , which critics called reckless , would go ahead .
Not only did the storm destroy the harbour , it also cut off the only road to the village .
Mr. Okafor , 61 , has run the company since his father died .
Warning : keep out of reach of children !
To make a long story short , we missed the train , lost our bags , and ended up sleeping in the station .
I love you , I always have , and I always will .
The president of the club resigned after it emerged that he had lied about the accounts .
Rivers in the north freeze in winter , whereas those in the south flow all year round .
On the one hand this is cheaper ; on the other hand it takes twice as long .
Suppose that x is greater than y ; then the sum of the two is less than 2x .
That having been said , let us turn to the second chapter .
"""

SAMPLES = tuple(tuple(line.split()) for line in _TEXT.splitlines())
"""Sentences, tokenised."""
