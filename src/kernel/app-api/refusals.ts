import { Rejection } from '../protocol/rejection.ts'

/** The fields of this interface by their names in the refusals of another service. */
type FieldNames = Readonly<Record<string, string>>

/** Calls another service. Its refusals name the fields of this interface. */
export async function inFieldsOf<T>(fields: FieldNames, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Rejection ? withFields(error, fields) : error
  }
}

/** The same refusal in terms of the fields of this interface. A field without an entry is left out. */
export function withFields(refused: Rejection, fields: FieldNames): Rejection {
  const { code, message, field, reason, retryAfterSeconds } = refused
  const key = Object.keys(fields).find((one) => field === one || field?.startsWith(`${one}[`))
  const ours = key === undefined ? undefined : field!.replace(key, fields[key]!)
  return new Rejection(code, ours === undefined ? message : message.replaceAll(field!, ours), {
    ...(ours !== undefined && { field: ours }),
    ...(reason !== undefined && { reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
