import { createInterface } from 'node:readline/promises'

export const isTerminal = (): boolean => process.stdin.isTTY === true

/** Asks on a terminal. Only yes is yes. */
export async function isConfirmed(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question(`${question} [y/N] `).finally(() => prompt.close())
  return /^y(es)?$/i.test(answer.trim())
}
