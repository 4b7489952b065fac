import { schemaStyle } from '../http/faults.ts'
import { cursorParam, limitParam } from '../http/input/paging.ts'
import {
  anyTextParam,
  described,
  intParam,
  type Param,
  patternParam,
  wordParam,
} from '../http/input/params.ts'
import { MAX_FID } from '../protocol/sizes.ts'

// The parameters of the client platform. Its published clients read the fault objects of a JSON Schema
// validator, so every parameter here refuses in that style.

const style = schemaStyle

export const fid: Param<number> = described(
  intParam({ min: 1, max: MAX_FID, style }),
  'The fid of a user.',
)

/** The token of a signed key request. A malformed one is treated as unknown. */
export const token: Param<string> = described(anyTextParam, 'The token of the request.')

export const limit = (options: { default: number; max: number }): Param<number> =>
  limitParam({ ...options, style })

export const cursor = (shape: string) => cursorParam(shape, { style })

export const matching = (pattern: RegExp): Param<string> => patternParam(pattern, { style })

/** One of a list of words. A missing word is refused like a wrong one, as by the deployed platform. */
export const oneOf = <const W extends string>(...words: W[]): Param<W> => ({
  ...wordParam(words, { style }),
  missing: (field) => style(field, { keyword: 'enum', allowedValues: words }),
})
