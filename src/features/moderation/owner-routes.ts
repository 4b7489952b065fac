import Type from 'typebox'
import { checkOwner, OWNER_FIELDS, type OwnerTerms } from '../../kernel/accounts/owner-request.ts'
import { bind, content, JSON_TYPE, json, type Route, route } from '../../kernel/http/route.ts'

import type { Ports } from '../../kernel/ports.ts'
import { fromBase64, toBase64 } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { PUSHES } from '../push/port.ts'
import { exportPage } from './export.ts'
import { exportMiniApps } from './export-mini-apps.ts'
import { jsonWithBytes } from './json-with-bytes.ts'
import type { Moderation } from './moderation.ts'
import {
  AccountSchema,
  accountJson,
  ExportMediaReply,
  ExportMiniAppsReply,
  ExportReply,
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
    'One file in each answer, in base64, with its address and description. One signature is good for all ' +
    'files until its deadline. The action that is signed is `export`.',
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
      files: [{ url, contentType, altText, uploadedAt, data: '' }],
      nextPageToken: next ? toBase64(next) : '',
    }
    return content(jsonWithBytes(page, length, data), JSON_TYPE)
  },
})

/** A base64 page token of an export of mini apps has the longest notification id. */
const MAX_NOTICE_TOKEN_CHARACTERS = 1_024

const exportApps = route('POST /v1/export-mini-apps', {
  callers: 'anyone',
  summary: 'Export what this server keeps about an account and mini apps',
  description:
    'Which apps it has listed, added and opened, what it has signed for them, and what they have told it. One signature is good ' +
    'for all pages until its deadline. The action that is signed is `export`.',
  tags: TAGS,
  body: json(
    Type.Object({
      ...OWNER_FIELDS,
      pageToken: Type.Optional(Type.String({ maxLength: MAX_NOTICE_TOKEN_CHARACTERS })),
    }),
  ),
  reply: ExportMiniAppsReply,
  errors: OWNER_ERRORS,
  limit: 'write',
  cost: { cpu: 'large', recoveries: 1 },
  handler: async (context: OwnerContext, { body }) => {
    await checkOwner({ ...body, action: 'export' }, body.signature, context)
    return exportMiniApps(context.storage, body.fid, readToken(body.pageToken))
  },
})

/** Export and erasure by the custody address. A suspended account may do both. */
export const ownerRoutes = (context: OwnerContext): Route[] =>
  bind(context, [eraseMessages, exportMessages, exportMedia, exportApps])

/** One page of an export in JSON. */
export async function exportReply(
  { storage, encode, find }: Pick<OwnerContext, 'storage' | 'encode' | 'find'>,
  fid: number,
  pageToken: string | undefined,
) {
  const { messages, next } = await exportPage(storage, fid, readToken(pageToken))
  const devices = pageToken ? [] : ((await find(PUSHES)?.devicesOf(storage, fid)) ?? [])
  return {
    messages: messages.map((row) => toBase64(encode(row))),
    pushDevices: devices.map(({ endpoint, name, kinds, created_at }) => ({
      ...{ endpoint, name, kinds: kinds.split(','), createdAt: created_at },
    })),
    nextPageToken: next ? toBase64(next) : '',
  }
}

function readToken(text: string | undefined): Uint8Array | undefined {
  const token = text ? fromBase64(text) : undefined
  if (!text || token) return token
  throw new Rejection('bad_request.invalid_param', 'pageToken must be base64', {
    field: 'pageToken',
  })
}
