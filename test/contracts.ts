// The contracts as they were compiled, for tests that put them on a chain or speak to them.

import { readFileSync } from 'node:fs'
import type { Abi, Hex } from 'viem'

export const COMPILED = new URL('../contracts/compiled/', import.meta.url)

export const compiledFile = (file: string): string => readFileSync(new URL(file, COMPILED), 'utf8')

export const compiled = (name: string): { abi: Abi; bytecode: Hex } =>
  JSON.parse(compiledFile(`${name}.json`))
