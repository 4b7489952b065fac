import Type, { type Static } from 'typebox'

// What calls about the recovery service answer.

export const RecoveryReply = Type.Object({
  service: Type.Union(
    [
      Type.Object({
        address: Type.String({ description: 'To be named as the recovery address.' }),
        waitDays: Type.Integer({ description: 'Days from the decision to the move.' }),
      }),
      Type.Null(),
    ],
    { description: 'Null: the operator offers none.' },
  ),
  movesAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Unix seconds of the move of `fid` to another key; null: none was started.',
  }),
})
export type RecoveryReply = Static<typeof RecoveryReply>

const request = {
  receiver: Type.String({ description: 'The address of the new key.' }),
  fid: Type.Integer({ description: 'The account that it asks for.' }),
  askedAt: Type.Integer({
    description:
      'Unix seconds. With key and account it names the request: asking again changes it.',
  }),
  movesAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Unix seconds; null: not decided.',
  }),
}

/** What anybody may see of a request. */
export const RecoveryRequest = Type.Object(request, { $id: 'RecoveryRequest' })
export type RecoveryRequest = Static<typeof RecoveryRequest>

/** What the operator decides about. */
export const RecoveryCase = Type.Object(
  {
    ...request,
    note: Type.String({ description: 'Of who asks: untrusted.' }),
    username: Type.Optional(Type.String({ description: 'A name that the account holds.' })),
    lastSeenAt: Type.Optional(
      Type.Integer({
        description:
          'Unix seconds of the newest message, to the hour. Somebody still has a key then.',
      }),
    ),
  },
  { $id: 'RecoveryCase' },
)
export type RecoveryCase = Static<typeof RecoveryCase>
