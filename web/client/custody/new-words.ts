import { generateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'

/** Twelve words for a new account. Their list is loaded when one is made. */
export const newWords = (): string => generateMnemonic(wordlist)
