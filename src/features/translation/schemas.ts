import Type, { type Static } from 'typebox'

export const TranslationReply = Type.Object(
  {
    object: Type.Literal('translation'),
    text: Type.String(),
    language: Type.String({ description: 'Of the translation.' }),
    from: Type.Union([Type.String(), Type.Null()], {
      description: 'The language of the cast, as far as it is known.',
    }),
    by: Type.String({ description: 'The translator, to be named beside the text.' }),
  },
  { $id: 'Translation' },
)
export type CastTranslation = Static<typeof TranslationReply>
