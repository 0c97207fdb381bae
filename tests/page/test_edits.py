"""Corrections as the page's modules make them: valid trees, nothing else changed, all of it undone."""

import random

from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from support.browsing import module

TREE = [[0, 1, 4, "SN", "attribution"], [1, 3, 4, "NS", "causal"], [1, 2, 3, "NN", "joint"]]
"""The tree ( said ( ( rose and fell ) because ) )."""

NAMED = """([start, split, end, nuclearity, relation]) => ({ start, split, end, nuclearity, relation })"""
PLAIN = """({ start, split, end, nuclearity, relation }) => [start, split, end, nuclearity, relation]"""


def tree_call(bench, call, splits):
    """The splits that a function of tree.js makes of others."""
    function = f"(tree, plain) => {{ const splits = plain.map({NAMED}); return tree.{call}.map({PLAIN}); }}"
    return module(bench, "tree", function, splits)


def some_tree(n_edus, chance):
    splits = []
    waiting = [(0, n_edus)] if n_edus > 1 else []
    while waiting:
        start, end = waiting.pop()
        at = chance.randrange(start + 1, end)
        splits.append(Split(start, at, end, chance.choice(NUCLEARITIES), f"r{at}"))
        waiting += [(one, other) for one, other in ((start, at), (at, end)) if other - one > 1]
    return Tree.from_splits(splits)


def records(tree):
    return [[split.start, split.split, split.end, split.nuclearity, split.relation] for split in tree.splits]


def tree_of(splits):
    """Checks what the page made: our own class refuses what is no tree."""
    return Tree(tuple(Split(*split) for split in splits))


def test_moving_a_split_takes_each_boundary_with_its_relation(bench):
    moved = tree_call(bench, "moveSplit(splits, 0, 3)", TREE)
    assert moved == [[0, 3, 4, "NS", "causal"], [0, 1, 3, "SN", "attribution"], [1, 2, 3, "NN", "joint"]]
    assert tree_call(bench, "moveSplit(splits, 1, 2)", TREE) == [
        [0, 1, 4, "SN", "attribution"],
        [1, 2, 4, "NN", "joint"],
        [2, 3, 4, "NS", "causal"],
    ]


def test_joining_edus_drops_the_relation_between_them_alone(bench):
    assert tree_call(bench, "joinLeaves(splits, 1)", TREE) == [
        [0, 1, 3, "SN", "attribution"],
        [1, 2, 3, "NS", "causal"],
    ]
    assert tree_call(bench, "joinLeaves(splits, 0)", TREE) == [
        [0, 2, 3, "NS", "causal"],
        [0, 1, 2, "NN", "joint"],
    ]
    assert tree_call(bench, "joinLeaves(splits, 2)", TREE) == [
        [0, 1, 3, "SN", "attribution"],
        [1, 2, 3, "NN", "joint"],
    ]


def test_every_correction_of_any_tree_is_a_tree(bench):
    chance = random.Random(14)
    trees = [some_tree(chance.randint(2, 9), chance) for _ in range(60)]
    found = module(
        bench,
        "tree",
        f"""(tree, all) => all.map((one) => {{
          const splits = one.map({NAMED});
          const made = {{ moved: [], joined: [], divided: [], faults: [] }};
          splits.forEach((split, number) => {{
            for (let at = split.start + 1; at < split.end; at += 1) made.moved.push(tree.moveSplit(splits, number, at));
          }});
          for (let edu = 0; edu < splits.length; edu += 1) made.joined.push(tree.joinLeaves(splits, edu));
          for (let edu = 0; edu <= splits.length; edu += 1) made.divided.push(tree.splitLeaf(splits, edu, "NS", "new"));
          const all = [...made.moved, ...made.joined, ...made.divided];
          made.faults = all.map((each) => tree.faultOf(each, each.length + 1)).filter(Boolean);
          for (const kind of ["moved", "joined", "divided"]) made[kind] = made[kind].map((each) => each.map({PLAIN}));
          return made;
        }})""",
        [records(tree) for tree in trees],
    )
    for tree, made in zip(trees, found, strict=True):
        assert made["faults"] == []
        relations = {split.split: split.relation for split in tree.splits}
        for moved in made["moved"]:
            assert {split.split: split.relation for split in tree_of(moved).splits} == relations
        for edu, joined in enumerate(made["joined"]):
            kept = {at - (at > edu): relation for at, relation in relations.items() if at != edu + 1}
            assert {split.split: split.relation for split in tree_of(joined).splits} == kept
        for edu, divided in enumerate(made["divided"]):
            kept = {at + (at > edu): relation for at, relation in relations.items()} | {edu + 1: "new"}
            assert {split.split: split.relation for split in tree_of(divided).splits} == kept


def test_moving_a_split_keeps_all_units_that_still_fit(bench):
    chance = random.Random(41)
    for _ in range(10):
        tree = some_tree(7, chance)
        before = {(split.start, split.end) for split in tree.splits}
        (moved,) = module(
            bench,
            "tree",
            f"(tree, splits) => [tree.moveSplit(splits.map({NAMED}), 0, 4).map({PLAIN})]",
            records(tree),
        )
        after = {(split[0], split[2]) for split in moved}
        assert {(start, end) for start, end in before if end <= 4 or start >= 4} <= after


def test_satellites_are_counted_from_the_nuclei_on(bench):
    ranks = module(
        bench,
        "tree",
        f"(tree, splits) => tree.satelliteRanks(tree.unitsOf(splits.map({NAMED}), 4), 4)",
        TREE,
    )
    assert ranks == [1, 0, 0, 1]


PANEL = """({
  sentence: 0, tokens: [0, 8], edus: [[0, 2], [2, 4], [4, 6], [6, 8]], units: null, endProbs: null, kept: {},
  fixed: { edges: {}, spans: {} },
  splits: [
    { start: 0, split: 1, end: 4, nuclearity: "SN", relation: "attribution", prob: 0.9, labels: [["attribution-SN", 0.8]] },
    { start: 1, split: 3, end: 4, nuclearity: "NS", relation: "causal", prob: 0.4, labels: [["causal-NS", 0.4]] },
    { start: 1, split: 2, end: 3, nuclearity: "NN", relation: "joint", prob: 0.7, labels: [["joint-NN", 0.6]] },
  ],
})"""


def edit(bench, call):
    return module(bench, "edits", f"(edits) => {{ const panel = {PANEL}; return {call}; }}")


def test_what_was_decided_is_noted_by_tokens(bench):
    swapped = edit(bench, "edits.swapNuclearity(panel, 1)")
    assert swapped["fixed"] == {"edges": {}, "spans": {"2-8": {"nuclearity": True, "at": 6}}}
    assert swapped["splits"][1]["nuclearity"] == "SN"
    assert swapped["splits"][1]["labels"] == [["causal-NS", 0.4]]
    assert swapped["kept"] is None
    moved = edit(bench, "edits.moveSplitTo(panel, 0, 3)")
    assert moved["fixed"]["spans"] == {"0-8": {"at": 6}}
    assert [split["prob"] for split in moved["splits"]] == [None, None, 0.7]
    joined = edit(bench, "edits.joinEdus(panel, 1)")
    assert joined["edus"] == [[0, 2], [2, 6], [6, 8]]
    assert joined["fixed"] == {"edges": {"4": False}, "spans": {}}
    divided = edit(bench, "edits.splitEdu(panel, 0, 1, { nuclearity: 'NS', relation: 'mode' })")
    assert divided["edus"][:2] == [[0, 1], [1, 2]]
    assert divided["fixed"]["edges"] == {"1": True}


def test_a_decision_goes_with_its_unit(bench):
    fixed = edit(
        bench,
        "edits.moveSplitTo(edits.setLabel(edits.confirm(panel, 1, true), 2, { relation: 'mode' }), 0, 2).fixed.spans",
    )
    assert fixed == {"0-8": {"at": 4}}
    assert edit(bench, "edits.confirm(edits.confirm(panel, 1, true), 1, false).fixed.spans") == {}


def test_what_cannot_be_done_is_not_done(bench):
    assert edit(bench, "edits.setLabel(panel, 0, { relation: 'attribution' })") is None
    assert edit(bench, "edits.moveSplitTo(panel, 0, 4)") is None
    assert edit(bench, "edits.joinEdus(panel, 3)") is None
    assert edit(bench, "edits.splitEdu(panel, 0, 2, { nuclearity: 'NS', relation: 'mode' })") is None
    assert edit(bench, "edits.confirm(panel, 1, false)") is None


def test_a_second_reading_keeps_the_labels_that_were_decided(bench):
    again = edit(
        bench,
        """edits.readAgain(edits.setLabel(panel, 1, { relation: "own" }), {
          ...panel, sentence: 9, splits: panel.splits.map((split) => ({ ...split, relation: "other" })) })""",
    )
    assert [split["relation"] for split in again["splits"]] == ["other", "own", "other"]
    assert again["sentence"] == 0
    assert again["kept"] is None


def test_undo_and_redo_go_through_all_steps(bench):
    states = module(
        bench,
        "history",
        """(history) => {
          let document = { panels: ["a", "b"] };
          let past = history.EMPTY;
          for (const [number, after] of [[0, "a2"], [1, "b2"], [0, "a3"]]) {
            past = history.noted(past, { number, before: document.panels[number], after });
            document = history.withPanel(document, number, after);
          }
          const seen = [];
          for (const step of [history.undo, history.undo, history.redo, history.undo, history.undo, history.undo]) {
            const taken = step(document, past);
            if (taken) ({ document, history: past } = taken);
            seen.push(document.panels.join());
          }
          return [seen, history.redo(document, history.noted(past, { number: 0, before: "a", after: "z" }))];
        }""",
    )
    assert states == [["a2,b2", "a2,b", "a2,b2", "a2,b", "a,b", "a,b"], None]


def test_positions_for_the_parser_count_characters(bench):
    body = module(
        bench,
        "constraints",
        f"""async (constraints) => {{
          const edits = await import("/js/edits.js");
          const document = {{ forms: ["𝒜b", "c", "dé", "e", "f", "g", "hij", "."] }};
          let panel = edits.setLabel({PANEL}, 0, {{ relation: "unheard" }});
          panel = edits.confirm(panel, 1, true);
          panel = edits.splitEdu(edits.joinEdus(panel, 1), 0, 1, {{ nuclearity: "NS", relation: "mode" }});
          return [constraints.requestFor(document, panel, ["causal-NS"]), constraints.isDecided(panel)];
        }}""",
    )
    assert body == [
        {
            "document": {"id": "", "tokens": [["𝒜b", "c", "dé", "e", "f", "g", "hij", "."]]},
            "edus": "auto",
            "constraints": {
                "boundaries": [3],
                "joined": [10],
                "spans": [
                    {"start": 0, "end": 19, "split": 5},
                    {"start": 5, "end": 19, "split": 14, "nuclearity": "NS", "relation": "causal"},
                ],
            },
        },
        True,
    ]
