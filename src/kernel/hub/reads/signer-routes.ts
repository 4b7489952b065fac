import { pageOf, paging } from '../../http/input/paging.ts'
import { described, fidParam, fidsParam, hexParam, optional } from '../../http/input/params.ts'
import { bind, type Route, route } from '../../http/route.ts'
import { ADDRESS_BYTES, KEY_BYTES } from '../../protocol/sizes.ts'
import { type HubContext, hubJson, READ_ERRORS } from '../hub-route.ts'
import { addressUsesReply, signerReply, signersReply } from './replies.ts'
import { MAX_REQUESTER_FIDS } from './signers.ts'

const TAGS = [{ name: 'Keys', description: 'Keys that sign messages.' }]

/** Routes that read the keys of accounts, by transactions and by messages. */
export const signerRoutes = (context: HubContext): Route[] =>
  bind(context, [signer, signersByFid, fidAddressType])

const signer = route('GET /v1/signer', {
  callers: 'anyone',
  summary: 'One active key of a fid',
  description:
    'Added by a transaction or by a message. Times are Unix seconds. 404 when the fid has no such key.',
  query: { fid: fidParam, signer: hexParam({ bytes: KEY_BYTES, label: 'publicKey' }) },
  reply: hubJson(signerReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.signer(q.fid, q.signer),
})

const signersByFid = route('GET /v1/signersByFid', {
  callers: 'anyone',
  summary: 'Active keys of a fid',
  description:
    'Those added by transactions first, each kind in the order of the keys. The nonces are the largest that were used: the next one is higher.',
  query: {
    fid: fidParam,
    requesterFids: optional(
      described(
        fidsParam(MAX_REQUESTER_FIDS),
        'Apps whose nonces are answered, by fid, separated by commas.',
      ),
    ),
    ...paging,
  },
  reply: hubJson(signersReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.signers(q.fid, pageOf(q), q.requesterFids ?? []),
})

const fidAddressType = route('GET /v1/fidAddressType', {
  callers: 'anyone',
  summary: 'What an address is to a fid',
  description:
    'Whether it is the custody address, an address that may sign in for the fid, or verified by the fid.',
  query: { fid: fidParam, address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
  reply: hubJson(addressUsesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.addressUses(q.fid, q.address),
})
