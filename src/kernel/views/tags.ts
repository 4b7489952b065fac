// What is a tag in a text. The views find casts by it, and the web client links it. No imports: browsers load this file.

const LETTERS = '\\p{L}\\p{N}\\p{M}_'

/** A sign and letters or digits, one of them a letter. What follows a word or stands in an address is none. */
const TAG = `#(?=[\\p{N}\\p{M}_]*\\p{L})([${LETTERS}]+)`

export const TAGS = new RegExp(`(?<![${LETTERS}&/#?=])${TAG}`, 'gu')
/** A text that is a tag and nothing else. */
export const ONE_TAG = new RegExp(`^${TAG}$`, 'u')
