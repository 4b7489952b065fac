import Type, { type Static } from 'typebox'

export const OwnLanguageReply = Type.Object(
  {
    object: Type.Literal('language'),
    language: Type.Union([Type.String(), Type.Null()], {
      description: 'The code of the one that was chosen; null: as each browser says.',
    }),
    written: Type.Union([Type.String(), Type.Null()], {
      description: 'That in which the server writes to the user; null: its own.',
    }),
    reads: Type.Array(Type.String(), {
      description: 'The languages in which the user reads posts; empty: all.',
    }),
  },
  { $id: 'OwnLanguage' },
)
export type OwnLanguage = Static<typeof OwnLanguageReply>
