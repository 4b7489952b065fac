import type { TLocalizedValidationError } from 'typebox/error'

type SchemaError = TLocalizedValidationError

/**
 * Of the errors of a value, the one that says what is wrong with it. A value that breaks a union has the errors of all
 * branches: what counts is the branch that it was meant for. When it is of the type of none, the error names them all.
 */
export function tellingError(errors: readonly SchemaError[]): SchemaError {
  const plain = errors.filter(({ keyword }) => keyword !== 'boolean')
  return within('', plain.length > 0 ? plain : errors)
}

/** The same for errors below a path of the schema. */
function within(base: string, errors: readonly SchemaError[]): SchemaError {
  // The error of a union itself is the last of its errors, and says nothing.
  const first = errors.find(({ keyword }) => keyword !== 'anyOf')
  if (!first) return errors[0]!
  const at = first.schemaPath.indexOf('/anyOf/', base.length)
  if (at < 0) return first
  const union = first.schemaPath.slice(0, at)
  const branches = branchesOf(`${union}/anyOf`, errors)
  const meant = [...branches]
    .filter(([path, own]) => own.every((error) => !isAnother(path, error)))
    .sort(([, a], [, b]) => a.length - b.length)[0]
  return meant
    ? within(...meant)
    : ofNone(
        union,
        [...branches].flatMap(([, own]) => own),
      )
}

/** The errors of each branch, by its path. */
const branchesOf = (anyOf: string, errors: readonly SchemaError[]) =>
  Map.groupBy(
    errors.filter(
      ({ keyword, schemaPath }) => keyword !== 'anyOf' && schemaPath.startsWith(`${anyOf}/`),
    ),
    ({ schemaPath }) => `${anyOf}/${schemaPath.slice(anyOf.length + 1).split('/', 1)[0]}`,
  )

/** Whether the value is of another kind than the branch: of another type, or with another constant that names the kind. */
const isAnother = (path: string, { keyword, schemaPath }: SchemaError): boolean =>
  (keyword === 'type' && schemaPath === path) ||
  (keyword === 'const' && /^(\/properties\/[^/]*)?$/.test(schemaPath.slice(path.length)))

function ofNone(union: string, errors: readonly SchemaError[]): SchemaError {
  const own = errors.filter(({ schemaPath }) =>
    /^\/anyOf\/\d+$/.test(schemaPath.slice(union.length)),
  )
  const expected = own.flatMap((error) =>
    error.keyword === 'type'
      ? error.params.type
      : error.keyword === 'const'
        ? JSON.stringify(error.params.allowedValue)
        : [],
  )
  if (expected.length === 0) return errors[0]!
  const message = `must be ${[...new Set(expected)].join(' or ')}`
  return { ...own[0]!, keyword: 'anyOf', schemaPath: union, params: {}, message } as SchemaError
}
