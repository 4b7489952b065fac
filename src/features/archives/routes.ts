import Type from 'typebox'
import { checkOwner, OWNER_FIELDS, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import { described, textParam } from '../../kernel/http/input/params.ts'
import { PartedBody } from '../../kernel/http/parted-body.ts'
import { bind, content, json, type Route, route } from '../../kernel/http/route.ts'
import type { Archives } from './archives.ts'

type Context = { readonly archives: Archives; readonly owner: OwnerTerms }

const MAX_TICKET_BYTES = 128
const TAGS = [
  { name: 'Account data', description: 'What the owner of an account may do with its messages.' },
]

const prepare = route('POST /v1/archive', {
  callers: 'anyone',
  summary: 'Ask for everything of an account as one zip file',
  description:
    'The answer has the path of the file, which may be asked for within ten minutes. A suspended account may ask, too. ' +
    'The action that is signed is `export`.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: Type.Object({
    path: Type.String({ description: 'Beside this interface; whoever has it gets the file.' }),
    expiresAt: Type.Integer({ description: 'Unix seconds.' }),
    messages: Type.Integer(),
    mediaBytes: Type.Integer({ description: 'Bytes of pictures and videos.' }),
  }),
  errors: ['InvalidSignature', 'SignatureExpired', 'HasNoId', 'rate_limited'],
  limit: 'write',
  cost: 'write',
  handler: async ({ archives, owner }: Context, { body, request }) => {
    await checkOwner({ ...body, action: 'export' }, body.signature, owner)
    request.chargeTo(`fid:${body.fid}`)
    const { ticket, ...about } = await archives.prepare(body.fid)
    return { path: `${request.basePath}/v1/archive/${ticket}`, ...about }
  },
})

const download = route('GET /v1/archive/:ticket', {
  callers: 'anyone',
  summary: 'Everything of an account as one zip file',
  description:
    'Pages to read without a connection, JSON, CSV, pictures and videos, and the messages as they were signed. It is made while it ' +
    'is sent, one at a time for an account.',
  tags: TAGS,
  params: {
    ticket: described(textParam({ maxBytes: MAX_TICKET_BYTES }), 'From `POST /v1/archive`.'),
  },
  reply: Type.String(),
  contentType: 'application/zip',
  errors: ['not_found', 'rate_limited', 'unavailable.overloaded'],
  cost: 'lookup',
  handler: async ({ archives }: Context, { params: { ticket }, request }) => {
    request.checkUnread()
    const archive = await archives.open(ticket)
    return content(new PartedBody(undefined, archive.parts), 'application/zip', {
      headers: {
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="${archive.name}"`,
        'x-content-type-options': 'nosniff',
      },
      onClose: archive.close,
    })
  },
})

export const archiveRoutes = (context: Context): Route[] => bind(context, [prepare, download])
