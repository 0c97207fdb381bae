// Texts to begin with; our own.

export const EXAMPLES = [
  {
    title: "A storm",
    text: `The mayor said that the bridge would stay closed until Friday, because engineers had found cracks in two of its pillars. Although the storm had passed, the river was still rising, and the lower streets were under water.

“We will open it when it is safe,” she told reporters, “and not an hour earlier.” If the weather holds, the first buses could cross on Saturday.`,
  },
  {
    title: "A laboratory",
    text: `To measure how fast the film dries, we weighed each sample every ten minutes. The first results were puzzling: samples that had been stored in the dark dried faster than those kept in the light. After we had repeated the experiment with new material, the difference disappeared, which suggests that the first batch was damaged.`,
  },
  {
    title: "A recipe",
    text: `Cut the onions finely and fry them slowly in butter until they are golden. When the pan smells sweet, add the flour, stirring all the time so that no lumps form. Pour in the stock, which should be hot, and let the soup simmer for half an hour. Serve it with bread that is a day old, since fresh bread falls apart.`,
  },
  {
    title: "One long sentence",
    text: `When the committee, which had been asked to report by the end of March, finally met in June, its members admitted that they had read only half of the letters, but they promised to go on if the council gave them more time, because the questions that the citizens had raised were, as the chairman put it, too serious to be answered in a hurry.`,
  },
];
