import Type from 'typebox'
import { checkOwner, OWNER_FIELDS, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import { bind, content, JSON_TYPE, json, type Route, route } from '../../kernel/http/route.ts'

import type { Ports } from '../../kernel/ports.ts'
import { fromBase64, toBase64 } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { exportPage } from './export.ts'
import { exportRows, ROWS_PAGE } from './export-rows.ts'
import { jsonWithBytes } from './json-with-bytes.ts'
import type { Moderation } from './moderation.ts'
import {
  AccountSchema,
  accountJson,
  ExportMediaReply,
  ExportReply,
  ExportRowsReply,
} from './schemas.ts'

export type OwnerContext = OwnerTerms & {
  readonly moderation: Moderation
  readonly storage: Storage
  readonly encode: (row: StoredMessage) => Uint8Array
  readonly find: Ports['find']
}

const MAX_TOKEN_CHARACTERS = 128

const OWNER_ERRORS = ['InvalidSignature', 'SignatureExpired', 'HasNoId'] as const

const TAGS = [
  { name: 'Account data', description: 'What the owner of an account may do with its messages.' },
]

const eraseMessages = route('POST /v1/erase-messages', {
  callers: 'anyone',
  summary: 'Erase all messages of an account for good',
  description:
    'They are hidden at once and deleted in the background, from lists and from events. This ' +
    'cannot be undone. An account asks for it three times a day at most. The action that is signed is `erase`.',
  tags: TAGS,
  body: json(Type.Object(OWNER_FIELDS)),
  reply: AccountSchema,
  errors: [...OWNER_ERRORS, 'bad_request.validation_failure', 'rate_limited'],
  limit: 'write',
  cost: 'write',
  handler: async (context: OwnerContext, { body }) => {
    await checkOwner({ ...body, action: 'erase' }, body.signature, context)
    const decision = { actor: `fid ${body.fid}`, reason: 'asked for by the custody address' }
    return accountJson(await context.moderation.erase(body.fid, decision, body.deadline))
  },
})

const exportMessages = route('POST /v1/export-messages', {
  callers: 'anyone',
  summary: 'Export the messages of an account, hidden ones too',
  description:
    'Serialised messages in base64, in pages. One signature is good for all pages until its ' +
    'deadline. The action that is signed is `export`.',
  tags: TAGS,
  body: json(
    Type.Object({
      ...OWNER_FIELDS,
      pageToken: Type.Optional(Type.String({ maxLength: MAX_TOKEN_CHARACTERS })),
    }),
  ),
  reply: ExportReply,
  errors: OWNER_ERRORS,
  limit: 'write',
  cost: 'write',
  handler: async (context: OwnerContext, { body }) => {
    await checkOwner({ ...body, action: 'export' }, body.signature, context)
    return exportReply(context, body.fid, body.pageToken)
  },
})

const exportMedia = route('POST /v1/export-media', {
  callers: 'anyone',
  summary: 'Export the pictures and videos of an account, hidden ones too',
  description:
    'One file in each answer, in base64, with its address and description; one whose bytes are lost says so and does not end ' +
    'the export. One signature is good for all files until its deadline. The action that is signed is `export`.',
  tags: TAGS,
  body: json(
    Type.Object({
      ...OWNER_FIELDS,
      pageToken: Type.Optional(Type.String({ maxLength: MAX_TOKEN_CHARACTERS })),
    }),
  ),
  reply: ExportMediaReply,
  errors: [...OWNER_ERRORS, 'not_found', 'unavailable'],
  limit: 'write',
  cost: { cpu: 'large', recoveries: 1 },
  handler: async (context: OwnerContext, { body }) => {
    await checkOwner({ ...body, action: 'export' }, body.signature, context)
    const after = readToken(body.pageToken)
    const file = await context.find(MEDIA_OF_USERS)?.exportFile(body.fid, after)
    if (!file) return { files: [], nextPageToken: '' }
    const { url, type: contentType, alt: altText, uploadedAt, length, data, next } = file
    const page = {
      files: [{ url, contentType, altText, uploadedAt, ...(!data && { missing: true }), data: '' }],
      nextPageToken: next ? toBase64(next) : '',
    }
    if (!data) return page
    return content(jsonWithBytes(page, length, data), JSON_TYPE)
  },
})

/** A page token names a row by its key; the longest one is the id of a passkey. */
export const MAX_ROW_TOKEN_CHARACTERS = 2_048

/** A page is read from every table that may have rows of the account. */
export const ROWS_COST = { cpu: 'medium', rows: ROWS_PAGE, recoveries: 2 } as const

const exportOwnRows = route('POST /v1/export-rows', {
  callers: 'anyone',
  summary: 'Export what this server keeps of an account beside messages and files',
  description:
    'Rows of its tables, in pages: settings, choices, channels and packs, invites, sign-ins, reports, names, keys and what mini ' +
    'apps have to do with the account. Without secrets, notes of moderators and what others said. One signature is good for all ' +
    'pages until its deadline. The action that is signed is `export`.',
  tags: TAGS,
  body: json(
    Type.Object({
      ...OWNER_FIELDS,
      pageToken: Type.Optional(Type.String({ maxLength: MAX_ROW_TOKEN_CHARACTERS })),
    }),
  ),
  reply: ExportRowsReply,
  errors: OWNER_ERRORS,
  limit: 'write',
  cost: ROWS_COST,
  handler: async (context: OwnerContext, { body }) => {
    await checkOwner({ ...body, action: 'export' }, body.signature, context)
    return exportRowsReply(context.storage, body.fid, body.pageToken)
  },
})

/** Export and erasure by the custody address. A suspended account may do both. */
export const ownerRoutes = (context: OwnerContext): Route[] =>
  bind(context, [eraseMessages, exportMessages, exportMedia, exportOwnRows])

/** One page of an export in JSON. */
export async function exportReply(
  { storage, encode }: Pick<OwnerContext, 'storage' | 'encode'>,
  fid: number,
  pageToken: string | undefined,
) {
  const { messages, next } = await exportPage(storage, fid, readToken(pageToken))
  return {
    messages: messages.map((row) => toBase64(encode(row))),
    nextPageToken: next ? toBase64(next) : '',
  }
}

/** One page of the rows of an account in JSON. */
export async function exportRowsReply(
  storage: Storage,
  fid: number,
  pageToken: string | undefined,
) {
  const { rows, next } = await exportRows(storage, fid, readToken(pageToken))
  return { rows: [...rows], nextPageToken: next ? toBase64(next) : '' }
}

function readToken(text: string | undefined): Uint8Array | undefined {
  const token = text ? fromBase64(text) : undefined
  if (!text || token) return token
  throw new Rejection('bad_request.invalid_param', 'pageToken must be base64', {
    field: 'pageToken',
  })
}
