import Type from 'typebox'

/** A value or null. The description stands on both together: generated clients show it there. */
export const nullable = <S extends Type.TSchema>(schema: S) => {
  const { description } = schema as { description?: string }
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}
