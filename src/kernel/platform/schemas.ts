import Type, { type TSchema, type TStringOptions } from 'typebox'

export { Fid, UnixSeconds } from '../storage/tables/table-json.ts'

// Shapes that all answers of the client platform share.

/** `result` is always an object. */
export const Result = <S extends TSchema>(result: S) => Type.Object({ result })

/** A page of a list; the last one has no `next`. */
export const PageOf = <S extends TSchema>(result: S) =>
  Type.Object({ result, next: Type.Optional(Type.Object({ cursor: Type.String() })) })

export const Success = Result(Type.Object({ success: Type.Literal(true) }))
export const SUCCESS: { result: { success: true } } = { result: { success: true } }

/** One line: no control characters; PostgreSQL cannot store NUL. */
export const SingleLineText = (options: TStringOptions) =>
  Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]*$', ...options })
export const CastHash = Type.String({ pattern: '^0[xX](?:[0-9a-fA-F]{2}){20,32}$' })
