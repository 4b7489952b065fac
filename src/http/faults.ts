import { Rejection, type SchemaFault } from '../protocol/rejection.ts'

// What JSON Schema validators say of a value: the client platform answers it key by key.

/** Of a property that must be there. */
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

/** A refusal of one parameter: "fid must be integer", by the keyword of the schema that it breaks. */
export function faultyParam(
  field: string,
  keyword: string,
  params: object,
  message: string,
): Rejection {
  const fault = {
    instancePath: `/${field}`,
    schemaPath: `#/properties/${field}/${keyword}`,
    keyword,
    params,
    message,
  }
  return new Rejection('bad_request.invalid_param', `${field} ${message}`, { field, fault })
}
