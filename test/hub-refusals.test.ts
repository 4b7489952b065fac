// What a hub refuses, each refusal with its code, status and deployed wording, and which of several
// faults is told.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  castAdd,
  castRemove,
  type DataInit,
  frameAction,
  linkAdd,
  linkRemove,
  reactionAdd,
  userDataAdd,
  verificationAddEth,
} from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { FUTURE_TOLERANCE_SECONDS } from '../src/kernel/protocol/time.ts'
import { MessageType, ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { SignerEventType } from '../src/kernel/protocol/wire/onchain_event_pb.js'
import {
  accepted,
  bytes,
  inWorld,
  keyEvent,
  onEngines,
  type Refusal,
  refused,
} from './hub-support.ts'
import { type TestAccount, testAccount, type World } from './world.ts'

const INVALID = 'bad_request.validation_failure'
const PARAM = 'bad_request.invalid_param'

type Case = {
  readonly what: string
  readonly make: (world: World, account: TestAccount) => SignedMessage | Uint8Array
} & Refusal

const signed =
  (init: (origin: ReturnType<World['origin']>) => DataInit): Case['make'] =>
  (world, account) =>
    world.sign(account, init(world.origin(account)))

const changed =
  (change: (message: SignedMessage) => Partial<SignedMessage>): Case['make'] =>
  (world, account) => {
    const message = world.sign(account, castAdd(world.origin(account), 'changed'))
    return { ...message, ...change(message) }
  }

const CASES: readonly Case[] = [
  { what: 'an empty body', make: () => new Uint8Array(0), code: INVALID, says: /data is missing/ },
  {
    what: 'one byte',
    make: () => Uint8Array.of(7),
    code: 'bad_request.parse_failure',
    says: /Could not parse Message/,
  },
  {
    what: 'an envelope without data',
    make: changed(() => ({ dataBytes: new Uint8Array(0) })),
    code: INVALID,
    says: /message data is missing/,
  },
  {
    what: 'an unknown fid',
    make: (world) => {
      const stranger = testAccount(4_000_000)
      return world.sign(stranger, castAdd(world.origin(stranger), 'hi'))
    },
    code: 'bad_request.unknown_fid',
    says: /^unknown fid: 4000000$/,
  },
  {
    what: 'a key that is not of the fid',
    make: (world, account) => world.sign(testAccount(2), castAdd(world.origin(account), 'hi')),
    code: 'bad_request.unknown_signer',
    says: /^invalid signer: signer 0x[0-9a-f]{64} not found for fid 1$/,
  },
  {
    what: 'no network',
    make: signed((origin) => castAdd({ ...origin, network: 0 }, 'hi')),
    code: INVALID,
    says: /^invalid network$/,
  },
  {
    what: 'a wrong hash',
    make: changed(() => ({ hash: bytes(20, 1) })),
    code: INVALID,
    says: /^invalid hash\. /,
  },
  {
    what: 'no hash',
    make: changed(() => ({ hash: new Uint8Array(0) })),
    code: INVALID,
    says: /^hash is missing$/,
  },
  {
    what: 'a wrong signature',
    make: changed(() => ({ signature: bytes(64, 1) })),
    code: INVALID,
    says: /^invalid signature$/,
  },
  {
    what: 'a signature of another length',
    make: changed(({ signature }) => ({ signature: signature.subarray(1) })),
    code: INVALID,
    says: /^invalid signature$/,
  },
  {
    what: 'another hash scheme',
    make: changed(() => ({ hashScheme: 0 })),
    code: INVALID,
    says: /^invalid hashScheme$/,
  },
  {
    what: 'another signature scheme',
    make: changed(() => ({ signatureScheme: 2 })),
    code: INVALID,
    says: /^invalid signatureScheme$/,
  },
  {
    what: 'a timestamp 601 seconds ahead',
    make: signed((origin) =>
      castAdd({ ...origin, timestamp: origin.timestamp + FUTURE_TOLERANCE_SECONDS + 1 }, 'hi'),
    ),
    code: INVALID,
    says: /^timestamp more than 10 mins in the future$/,
  },
  {
    what: 'a frame action',
    make: signed((origin) =>
      frameAction(origin, { url: Buffer.from('https://f'), buttonIndex: 1 }),
    ),
    code: INVALID,
    says: /^invalid message type$/,
  },
  {
    what: 'an empty cast',
    make: signed((origin) => castAdd(origin, '')),
    code: INVALID,
    says: /^cast is empty$/,
  },
  {
    what: 'a body of another type',
    make: signed((origin) => ({ ...castAdd(origin, 'x'), type: MessageType.LINK_ADD })),
    code: PARAM,
    says: /^bodyType is invalid$/,
  },
  {
    what: 'an unknown type',
    make: signed((origin) => ({ ...castAdd(origin, 'x'), type: 99 as MessageType })),
    code: INVALID,
    says: /^invalid message type$/,
  },
  {
    what: 'a type of other hubs',
    make: signed((origin) => ({ ...castAdd(origin, 'x'), type: MessageType.CHANNEL_PIN })),
    status: 400,
    code: 'not_implemented',
    says: /not supported/,
  },
  {
    what: 'a url of 257 bytes',
    make: signed((origin) => reactionAdd(origin, ReactionType.LIKE, { url: 'u'.repeat(257) })),
    code: PARAM,
    says: /^url > 256 bytes$/,
  },
  {
    what: 'a claim that its address did not sign',
    make: signed((origin) =>
      verificationAddEth(origin, {
        address: bytes(20, 1),
        blockHash: bytes(32, 1),
        claimSignature: bytes(65, 1),
      }),
    ),
    code: INVALID,
    says: /^invalid claimSignature$/,
  },
  {
    what: 'a claim of a contract wallet without a chain to ask',
    make: signed((origin) =>
      verificationAddEth(origin, {
        address: bytes(20, 1),
        blockHash: bytes(32, 1),
        claimSignature: bytes(65, 1),
        verificationType: 1,
        chainId: 10,
      }),
    ),
    status: 400,
    code: 'not_implemented',
    says: /ROOKERY_ETH_RPC_URLS/,
  },
  {
    what: 'a username that is not registered',
    make: signed((origin) => userDataAdd(origin, UserDataType.USER_DATA_TYPE_USERNAME, 'nobodys')),
    code: INVALID,
    says: /^name nobodys is not registered$/,
  },
  {
    what: 'a primary address that was not verified',
    make: signed((origin) =>
      userDataAdd(
        origin,
        UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
        '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      ),
    ),
    code: INVALID,
    says: /^address is not part of any verification$/,
  },
]

inWorld('submit refuses', (world) => {
  for (const { what, make, ...refusal } of CASES) {
    test(what, async () => {
      const account = await world().account(1)
      const body = refused(await world().submit(make(world(), account)), refusal)
      assert.equal(body.code, refusal.code === 'not_implemented' ? 12 : 3)
      const casts = accepted(await world().get('/v1/castsByFid?fid=1'))
      assert.deepEqual(casts.messages, [])
    })
  }

  test('submit refuses a key of another type', async () => {
    await world().account(5)
    const other = { ...testAccount(6), fid: 5 }
    const event = keyEvent(other, SignerEventType.ADD, { blockNumber: 2 }, 2)
    await world().app.ledger!.importEvents([event])
    const answer = await world().submit(
      world().sign(other, castAdd(world().origin(other), 'by an auth address')),
    )
    refused(answer, { code: 'bad_request.unknown_signer' })
  })

  test('submit refuses networks that do not exist', async () => {
    const account = await world().account(7)
    for (const network of [0, 4, 99]) {
      const origin = { ...world().origin(account), network }
      refused(await world().submit(world().sign(account, castAdd(origin, 'x'))), {
        code: INVALID,
        says: /network/,
      })
    }
  })

  test('submit accepts timestamps exactly 600 seconds ahead and years ago', async () => {
    const account = await world().account(3)
    const { timestamp } = world().origin(account)
    for (const at of [timestamp + FUTURE_TOLERANCE_SECONDS, 0]) {
      const message = world().sign(account, castAdd(world().origin(account, at), 'edge'))
      accepted(await world().submit(message))
    }
  })

  test('of several faults the first in the deployed order is reported', async () => {
    const account = await world().account(1)
    const stranger = testAccount(5_000_000)
    const origin = world().origin(account)
    const wrongHash = { hash: bytes(20, 1) }
    const empty = castAdd(origin, '')
    const faults: [string, SignedMessage][] = [
      [
        INVALID, // the network, before the fid
        world().sign(stranger, castAdd({ ...world().origin(stranger), network: 0 }, 'x')),
      ],
      [
        'bad_request.unknown_fid', // before the key, the body and the hash
        {
          ...world().sign(account, castAdd(world().origin(stranger), '')),
          ...wrongHash,
        },
      ],
      ['bad_request.unknown_signer', { ...world().sign(stranger, empty), ...wrongHash }],
      ['bad_request.unknown_signer', world().sign(stranger, frameAction(origin, {}))],
      [INVALID, { ...world().sign(account, empty), ...wrongHash }],
    ]
    const told = await Promise.all(faults.map(([, message]) => world().submit(message)))
    assert.deepEqual(
      told.map(({ body }) => body.errCode),
      faults.map(([code]) => code),
    )
    assert.match(told[0]!.body.details, /invalid network/)
    assert.match(told[4]!.body.details, /cast is empty/)
  })
})

onEngines('submit refuses what cannot be merged:', (world) => {
  test('submit refuses a message that is stored already', async () => {
    const account = await world().account(11)
    const message = world().sign(account, castAdd(world().origin(account), 'once'))
    accepted(await world().submit(message))
    const again = await world().submit(message)
    refused(again, {
      code: 'bad_request.duplicate',
      says: /^message has already been merged$/,
    })
  })

  test('submit refuses a message that conflicts with a more recent add or remove', async () => {
    const account = await world().account(12)
    const at = (seconds: number) => world().origin(account, seconds)
    const submit = async (init: DataInit) => world().submit(world().sign(account, init))
    accepted(await submit(linkAdd(at(100), 'follow', 5)))
    refused(await submit(linkRemove(at(99), 'follow', 5)), {
      code: 'bad_request.conflict',
      says: /^message conflicts with a more recent add$/,
    })
    accepted(await submit(linkRemove(at(100), 'follow', 5)))
    refused(await submit(linkAdd(at(100), 'follow', 5)), {
      code: 'bad_request.conflict',
      says: /^message conflicts with a more recent remove$/,
    })
    accepted(await submit(linkAdd(at(101), 'follow', 5)))
    const cast = world().sign(account, castAdd(at(200), 'never seen'))
    accepted(await submit(castRemove(at(1), cast.hash)))
    refused(await world().submit(cast), { code: 'bad_request.conflict' })
  })

  test('submit refuses a message of a fid without storage', async () => {
    const account = await world().account(13, { units: 0 })
    const message = world().sign(account, castAdd(world().origin(account), 'homeless'))
    refused(await world().submit(message), { code: 'bad_request.no_storage', says: /^no storage$/ })
  })

  test('submit refuses a request larger than any message', async () => {
    const account = await world().account(14)
    const message = world().sign(account, castAdd(world().origin(account), 'x'.repeat(3_000)))
    refused(await world().submit(message), { code: INVALID, says: /^text > 320 bytes$/ })
    const padded = Buffer.concat([encodeEnvelope(message), bytes(140_000, 0)])
    refused(await world().submit(padded), { code: 'bad_request.parse_failure' })
  })
})

inWorld(
  'a hub of mainnet',
  (world) => {
    test('submit refuses messages of other networks', async () => {
      const account = await world().account(1)
      const of = (network: number) =>
        world().sign(account, castAdd({ ...world().origin(account), network }, 'x'))
      for (const network of [0, 2, 3, 4, 99]) {
        refused(await world().submit(of(network)), { code: INVALID, says: /network/ })
      }
      accepted(await world().submit(of(1)))
    })
  },
  { env: { ROOKERY_NETWORK: 'mainnet' } },
)
