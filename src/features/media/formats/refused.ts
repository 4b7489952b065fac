/** Why a file is not taken, in words that follow "the file". */
export class RefusedFile extends Error {}
