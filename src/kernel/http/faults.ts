import { Rejection, type SchemaFault } from '../protocol/rejection.ts'

// JSON Schema validators describe a refused value by a fault object. The client platform answers these
// objects, because its published clients read them.

/** The fault of a missing property. */
export const missingFault = (
  missingProperty: string,
  at: { instancePath?: string; schemaPath?: string } = {},
): SchemaFault => ({
  instancePath: at.instancePath ?? '',
  schemaPath: at.schemaPath ?? '#/required',
  keyword: 'required',
  params: { missingProperty },
  message: `must have required property '${missingProperty}'`,
})

/** How a parameter breaks its schema, by the keyword of JSON Schema that it breaks. */
type Violation =
  | { keyword: 'type'; type: 'integer' | 'number' }
  | { keyword: 'minimum' | 'maximum'; limit: number }
  | { keyword: 'enum'; allowedValues: readonly string[] }
  | { keyword: 'pattern'; pattern: string }
  | { keyword: 'format'; format: 'cursor' }

/** The error style of an interface: makes the refusal of the parameter `field`. */
export type ErrorStyle = (field: string, violation: Violation) => Rejection

const PLAIN_MESSAGES: { [K in Violation['keyword']]: (violation: never) => string } = {
  type: ({ type }: { type: string }) => `must be ${type === 'integer' ? 'an' : 'a'} ${type}`,
  minimum: ({ limit }: { limit: number }) => `must be at least ${limit}`,
  maximum: ({ limit }: { limit: number }) => `must be at most ${limit}`,
  enum: ({ allowedValues }: { allowedValues: readonly string[] }) =>
    `must be one of ${allowedValues.join(', ')}`,
  pattern: ({ pattern }: { pattern: string }) => `must match the pattern ${pattern}`,
  format: ({ format }: { format: string }) => `must be a ${format} of this list`,
}

/** The style of the hub, the registry, the accounts and the operations interface: one sentence. */
export const plainStyle: ErrorStyle = (field, violation) =>
  new Rejection(
    'bad_request.invalid_param',
    `${field} ${PLAIN_MESSAGES[violation.keyword](violation as never)}`,
    { field },
  )

/** The style of the client platform: the words and the fault object of a JSON Schema validator. */
export const schemaStyle: ErrorStyle = (field, violation) => {
  const [params, message] = schemaWords(violation)
  const { keyword } = violation
  const schemaPath = `#/properties/${field}/${keyword}`
  const fault = { instancePath: `/${field}`, schemaPath, keyword, params, message }
  return new Rejection('bad_request.invalid_param', `${field} ${message}`, { field, fault })
}

function schemaWords(violation: Violation): [params: object, message: string] {
  switch (violation.keyword) {
    case 'type':
      return [{ type: violation.type }, `must be ${violation.type}`]
    case 'minimum':
      return [{ comparison: '>=', limit: violation.limit }, `must be >= ${violation.limit}`]
    case 'maximum':
      return [{ comparison: '<=', limit: violation.limit }, `must be <= ${violation.limit}`]
    case 'enum': {
      const { allowedValues } = violation
      return [{ allowedValues }, 'must be equal to one of the allowed values']
    }
    case 'pattern':
      return [{ pattern: violation.pattern }, `must match pattern "${violation.pattern}"`]
    case 'format':
      return [{ format: violation.format }, `must be a ${violation.format} of this list`]
  }
}
