import Type from 'typebox'
import { described, hexParam, optional } from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { MediaContext } from './routes.ts'

const SHA256_BYTES = 32

const LostFiles = Type.Object({
  files: Type.Integer({ description: 'That are kept in all.' }),
  looked: Type.Integer({ description: 'That this call has looked at.' }),
  lost: Type.Array(
    Type.Object({
      path: Type.String({ description: 'Its path at the front door.' }),
      bytes: Type.Integer({ description: 'That it and its small picture have.' }),
      found: Type.Integer({ description: 'That are there; 0 when it is gone.' }),
      fids: Type.Array(Type.Integer(), {
        description: 'Some of the accounts that uploaded it; 0 is the operator.',
      }),
    }),
  ),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'For `after` of the next call; null when all were looked at.',
  }),
})

const lost = route('GET /media/lost', {
  callers: 'operator',
  summary: 'Pictures and videos whose bytes are lost',
  description:
    'Files whose bytes are gone, or have another length, among the 200 after one. Each is answered with 404 until somebody uploads it again.',
  tags: [{ name: 'Pictures', description: 'Pictures and videos of users.' }],
  query: {
    after: optional(described(hexParam({ bytes: SHA256_BYTES }), '`next` of a call before.')),
  },
  reply: LostFiles,
  errors: ['unavailable'],
  cost: { cpu: 'large', rows: 400 },
  handler: async ({ media }: Pick<MediaContext, 'media'>, { query: { after } }) => {
    const { next, ...found } = await media.lookForLost(after)
    return { ...found, next: next ? toHex(next) : null }
  },
})

/** For the operator. */
export const operatorMediaRoutes = (context: Pick<MediaContext, 'media'>): Route[] =>
  bind(context, [lost])
