import sentences from '../../../data/texts/sentences.zh.json' with { type: 'json' };

export type Text = keyof typeof sentences;

/** Chinese of sentences for the person at the terminal and of agents' errors, by their English. Slots in braces are filled. */
export const CHINESE: Readonly<Record<Text, string>> = sentences;
