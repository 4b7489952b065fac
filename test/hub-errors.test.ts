// What reads say to wrong questions, and all the spellings in which right ones may be asked.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { accepted, bytes, hex, inWorld, type Refusal, refused, removeKey } from './hub-support.ts'
import { type TestAccount, testAccount } from './world.ts'

const HASH = hex(bytes(20, 1))
const KEY = hex(bytes(32, 1))
const INVALID = 'bad_request.validation_failure'
const PARAM = 'bad_request.invalid_param'
const NOT_FOUND: Refusal = { status: 404, code: 'not_found' }

const invalid = (says: RegExp): Refusal => ({ code: INVALID, says })
const param = (says: RegExp): Refusal => ({ code: PARAM, says })

/** A question, what is said to it, and the parameter at fault. */
const WRONG: readonly [path: string, refusal: Refusal, field?: string][] = [
  ['castsByFid', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=abc', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=12abc', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=1.0', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=1e3', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=0x1', invalid(/^fid must be an integer$/), 'fid'],
  ['castsByFid?fid=0', invalid(/^fid is missing$/), 'fid'],
  ['castsByFid?fid=-1', invalid(/^fid must be positive$/), 'fid'],
  ['castsByFid?fid=4294967296', invalid(/^fid must be at most/), 'fid'],
  [`castsByFid?fid=${'9'.repeat(40)}`, invalid(/^fid must be an integer$/), 'fid'],
  [`castById?hash=${HASH}`, invalid(/^fid must be an integer$/), 'fid'],
  ['castById?fid=1', invalid(/^hash is missing$/), 'hash'],
  ['castById?fid=1&hash=0xzz', param(/^hash must be hex$/), 'hash'],
  ['castById?fid=1&hash=0x0', param(/^hash must be hex$/), 'hash'],
  ['castById?fid=1&hash=0x01', invalid(/^hash must be 20 bytes$/), 'hash'],
  [`castById?fid=1&hash=${HASH}`, { ...NOT_FOUND, says: /^castAddMessage not found for 1$/ }],
  ['castsByParent', param(/a parent is needed/), 'url'],
  ['castsByParent?fid=1', param(/a parent is needed/), 'hash'],
  ['castsByParent?fid=1&hash=0x01', invalid(/^hash must be 20 bytes$/), 'hash'],
  [`castsByParent?url=${'u'.repeat(257)}`, param(/^url must be at most 256 bytes$/), 'url'],
  ['castsByMention', invalid(/^fid must be an integer$/), 'fid'],
  [`reactionsByCast?target_fid=1`, invalid(/^hash is missing$/), 'target_hash'],
  [`reactionsByCast?target_fid=1&target_hash=0x01`, invalid(/20 bytes$/), 'target_hash'],
  [`reactionsByCast?target_hash=${HASH}`, invalid(/must be an integer$/), 'target_fid'],
  ['reactionsByTarget', invalid(/^url is missing$/), 'url'],
  ['reactionsByFid?fid=1&reaction_type=3', param(/must be one of LIKE, RECAST$/), 'reaction_type'],
  ['reactionsByFid?fid=1&reaction_type=None', param(/must be one of/), 'reaction_type'],
  [
    `reactionById?fid=1&target_fid=1&target_hash=${HASH}`,
    invalid(/^targetId provided without type$/),
    'reaction_type',
  ],
  ['reactionById?fid=1&reaction_type=1', invalid(/^a target is needed/), 'target_fid'],
  [
    `reactionById?fid=1&reaction_type=1&target_fid=1&target_hash=${HASH}`,
    { ...NOT_FOUND, says: /^reactionAddMessage not found/ },
  ],
  ['linkById?fid=1&target_fid=2', invalid(/^targetId provided without type$/), 'link_type'],
  ['linkById?fid=1&target_fid=2&link_type=', invalid(/without type$/), 'link_type'],
  ['linkById?fid=1&target_fid=2&link_type=ninebytes', param(/at most 8 bytes$/), 'link_type'],
  [
    'linkById?fid=1&target_fid=2&link_type=follow',
    { ...NOT_FOUND, says: /^Link Add Message not found/ },
  ],
  ['linksByTargetFid', invalid(/must be an integer$/), 'target_fid'],
  [
    'userDataByFid?fid=1&user_data_type=3',
    { ...NOT_FOUND, says: /^UserDataAdd message not found/ },
  ],
  ['userDataByFid?fid=1&user_data_type=4', param(/must be one of/), 'user_data_type'],
  [
    `verificationsByFid?fid=1&address=${hex(bytes(20, 1))}`,
    { ...NOT_FOUND, says: /^verificationAddMessage not found for 1$/ },
  ],
  [
    'verificationsByFid?fid=1&address=0x01',
    { ...NOT_FOUND, says: /^Ethereum or Solana address is incorrect$/ },
    'address',
  ],
  ['verificationsByFid?fid=1&address=l0OI', { ...NOT_FOUND, says: /incorrect$/ }, 'address'],
  ['userNameProofByName', invalid(/^fname is missing$/), 'name'],
  ['userNameProofByName?name=a%00', invalid(/doesn't match/), 'name'],
  ['userNameProofByName?name=nobody', NOT_FOUND],
  ['userNameProofByName?name=nobody.eth', NOT_FOUND],
  ['userNameProofsByFid', invalid(/^fid must be an integer$/), 'fid'],
  ['storageLimitsByFid', invalid(/^fid must be an integer$/), 'fid'],
  [`onChainSignersByFid?fid=1&signer=${KEY}`, { ...NOT_FOUND, says: /^signer 0x01/ }],
  ['onChainSignersByFid?fid=1&signer=0x01', invalid(/^publicKey must be 32 bytes$/), 'signer'],
  ['onChainEventsByFid?fid=1', invalid(/^event_type is missing$/), 'event_type'],
  ['onChainEventsByFid?fid=1&event_type=9', param(/^event_type must be one of/), 'event_type'],
  ['onChainIdRegistryEventByAddress', invalid(/^address is missing$/), 'address'],
  ['onChainIdRegistryEventByAddress?address=0x01', invalid(/must be 20 bytes$/), 'address'],
  [`onChainIdRegistryEventByAddress?address=${hex(bytes(20, 1))}`, NOT_FOUND],
  ['eventById', invalid(/^event_id is missing$/), 'event_id'],
  ['eventById?event_id=x', param(/^event_id must be an integer$/), 'event_id'],
  ['eventById?event_id=9007199254740992', param(/^event_id must be at most/), 'event_id'],
  ['eventById?event_id=7', NOT_FOUND],
  ['events?from_event_id=-1', param(/^from_event_id must be at least 0$/), 'from_event_id'],
  ['castsByFid?fid=1&pageSize=-1', param(/^pageSize must be at least 0$/), 'pageSize'],
  ['castsByFid?fid=1&pageSize=ten', param(/^pageSize must be an integer$/), 'pageSize'],
  ['castsByFid?fid=1&reverse=maybe', param(/^reverse must be true or false$/), 'reverse'],
  ['castsByFid?fid=1&pageToken=%C3%BC', param(/^pageToken must be base64$/), 'pageToken'],
  ['castsByFid?fid=1&pageToken=AAAA', param(/not a token of this list/), 'pageToken'],
  ['castsByFid?fid=1&startTimestamp=x', param(/^startTimestamp must be an/), 'startTimestamp'],
  ['castsByFid?fid=1&stopTimestamp=4294967296', param(/must be at most/), 'stopTimestamp'],
  ['castsByFid?fid=%', { code: 'bad_request.parse_failure', says: /percent escape$/ }, 'fid'],
  ['castsByParent?url=%C0%80', { code: 'bad_request.parse_failure' }, 'url'],
  ['nothing', { ...NOT_FOUND, says: /^no route \/v1\/nothing$/ }],
  ['castbyid', NOT_FOUND],
]

inWorld('wrong queries', (world) => {
  before(() => world().account(1))

  for (const [path, refusal, field] of WRONG) {
    test(`a faulty request is answered with the documented error: /v1/${path.slice(0, 60)}`, async () => {
      const body = refused(await world().get(`/v1/${path}`), refusal)
      assert.equal(body.field, field)
      const codes = { not_found: 5 } as Record<string, number>
      assert.equal(body.code, codes[refusal.code] ?? 3)
    })
  }

  test('the error for a removed key differs from the one for an unknown key', async () => {
    const account = await world().account(2)
    await removeKey(world(), account)
    const answer = await world().get(
      `/v1/onChainSignersByFid?fid=2&signer=${hex(testAccount(2).key)}`,
    )
    refused(answer, { ...NOT_FOUND, says: /^no such active signer$/ })
  })

  test('lists of an unknown fid are empty and not errors', async () => {
    const empty = { messages: [], nextPageToken: '' }
    const lists = [
      'castsByFid?fid=9',
      'castsByFid?fid=4294967295',
      `castsByParent?fid=9&hash=${HASH}`,
      `castsByParent?url=${'u'.repeat(256)}`,
      'castsByMention?fid=9',
      'reactionsByFid?fid=9',
      `reactionsByCast?target_fid=9&target_hash=${HASH}`,
      'reactionsByTarget?url=x',
      'linksByFid?fid=9',
      'linksByTargetFid?target_fid=9',
      'linksByTargetFid?target_fid=9&link_type=eight888',
      'userDataByFid?fid=9',
      'verificationsByFid?fid=9',
    ]
    for (const list of lists) {
      assert.deepEqual(accepted(await world().get(`/v1/${list}`)), empty, list)
    }
    const events = { events: [], nextPageToken: '' }
    for (const list of ['onChainSignersByFid?fid=9', 'onChainEventsByFid?fid=9&event_type=5']) {
      assert.deepEqual(accepted(await world().get(`/v1/${list}`)), events)
    }
    const proofs = accepted(await world().get('/v1/userNameProofsByFid?fid=9'))
    assert.deepEqual(proofs, { proofs: [] })
    const { limits, units } = accepted(await world().get('/v1/storageLimitsByFid?fid=9'))
    assert.deepEqual(
      limits.map((one: { name: string; limit: number }) => [one.name, one.limit]),
      [
        'CASTS',
        'LINKS',
        'REACTIONS',
        'STORAGE_LENDS',
        'USER_DATA',
        'USERNAME_PROOFS',
        'VERIFICATIONS',
      ].map((name) => [name, 0]),
    )
    assert.equal(units, 0)
  })
})

const LIKED = 'https://x.example/?a=1%20b'

/** Questions that are the same in other words. */
const SAME: readonly (readonly string[])[] = [
  [
    'reactionsByFid?fid=1&reaction_type=REACTION_TYPE_LIKE',
    'reactionsByFid?fid=1&reaction_type=1',
    'reactionsByFid?fid=1&reactionType=Like',
    'reactionsByFid?fid=01&reaction_type=like&unknown=1&__proto__=x',
    'reactionsByFid?fid=1&reaction_type=1&pageToken=&reverse=&pageSize=',
    'reactionsByFid?fid=1&reaction_type=1&pageToken=null&shard_id=1',
  ],
  [
    'linksByTargetFid?target_fid=2&link_type=follow&pageSize=1&reverse=true',
    'linksByTargetFid?targetFid=2&linkType=follow&page_size=1&reverse=1',
  ],
  [
    'castsByFid?fid=1&reverse=false&startTimestamp=0',
    'castsByFid?fid=1&reverse=0&start_timestamp=0&nextPageToken=undefined',
    'castsByFid?fid=1&page_size=1001',
  ],
  [
    `reactionById?fid=1&reaction_type=1&target_url=${encodeURIComponent(LIKED)}`,
    `reactionById?fid=1&reactionType=LIKE&targetUrl=${encodeURIComponent(LIKED)}`,
  ],
  [
    'castsByParent?url=x.example',
    'castsByParent?url=x.example&hash=',
    'castsByParent?url=x.example&fid=&page_token=',
  ],
  [
    `castsByParent?fid=1&hash=${HASH}`,
    `castsByParent?fid=1&hash=${HASH}&url=x.example`, // the cast id wins
  ],
  [
    'userDataByFid?fid=1&user_data_type=USER_DATA_TYPE_BIO',
    'userDataByFid?fid=1&user_data_type=3',
    'userDataByFid?fid=1&userDataType=bio',
  ],
  [
    'onChainEventsByFid?fid=1&event_type=EVENT_TYPE_SIGNER',
    'onChainEventsByFid?fid=1&event_type=1',
    'onChainEventsByFid?fid=1&eventType=signer',
  ],
  [
    'reactionsByTarget?url=https%3A%2F%2Fx.example%2F%3Fa%3D1%2520b',
    'reactionsByTarget?url=https://x.example/?a=1%2520b',
    'reactionsByTarget?target_url=https%3A%2F%2Fx.example%2F%3Fa%3D1%2520b',
  ],
]

inWorld('valid queries', (world) => {
  let account: TestAccount
  before(async () => {
    account = await world().account(1)
    const origin = world().origin(account)
    const url = LIKED
    const parentCastId = { fid: 1n, hash: bytes(20, 1) }
    for (const init of [
      castAdd(origin, 'one'),
      castAdd(origin, { text: 'two', parent: { case: 'parentUrl', value: 'x.example' } }),
      castAdd(origin, { text: '3', parent: { case: 'parentCastId', value: parentCastId } }),
      reactionAdd(origin, ReactionType.LIKE, { url }),
      reactionAdd(origin, ReactionType.RECAST, { url }),
      linkAdd(origin, 'follow', 2),
      userDataAdd(origin, UserDataType.USER_DATA_TYPE_BIO, 'bio'),
    ]) {
      accepted(await world().submit(world().sign(account, init)))
    }
  })

  for (const spellings of SAME) {
    test(`a parameter may be spelled in several ways: ${spellings[0]!.split('?')[0]}`, async () => {
      const [first, ...others] = await Promise.all(
        spellings.map((path) => world().get(`/v1/${path}`)),
      )
      const body = accepted(first!)
      const { messages = body.events ?? [body] } = body
      assert.ok(messages.length > 0)
      for (const other of others) assert.deepEqual(accepted(other), body)
    })
  }

  test('a hash is accepted with or without 0x and in any case', async () => {
    const [{ hash }] = accepted(await world().get('/v1/castsByFid?fid=1')).messages
    const spelled = [
      hash,
      hash.slice(2),
      hash.toUpperCase().replace('0X', '0x'),
      `0X${hash.slice(2)}`,
    ]
    for (const text of spelled) {
      assert.equal(accepted(await world().get(`/v1/castById?fid=1&hash=${text}`)).hash, hash)
    }
  })

  test('a page token is accepted raw, escaped, url-safe, and as nextPageToken', async () => {
    for (let i = 0; i < 40; i++) {
      const init = castAdd(world().origin(account, 1_000 + i), `cast ${i}`)
      accepted(await world().submit(world().sign(account, init)))
    }
    let odd = 0
    for (let size = 1; size <= 40; size++) {
      const path = `/v1/castsByFid?fid=1&pageSize=${size}`
      const { nextPageToken: token } = accepted(await world().get(path))
      odd += Number(token.includes('+'))
      const spelled = [
        `pageToken=${encodeURIComponent(token)}`,
        `pageToken=${token}`, // a raw plus is a space to a query
        `page_token=${token.replaceAll('+', '-').replaceAll('/', '_')}`,
        `nextPageToken=${encodeURIComponent(token)}`,
      ]
      const pages = await Promise.all(spelled.map((one) => world().get(`${path}&${one}`)))
      for (const page of pages) assert.deepEqual(accepted(page), pages[0]!.body)
    }
    assert.ok(odd > 0, 'some token has a plus')
  })
})
