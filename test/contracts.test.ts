// Our own account contracts against the published facts of the deployed ones.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseEventLogs,
  toBytes,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { formatAbiItem } from 'viem/utils'
import { compileContracts } from '../scripts/contracts.ts'
import { placeContracts } from '../src/dev/deploy.ts'
import {
  DEPLOYED_CHAIN_CONTRACTS as AT,
  type ChainContracts,
} from '../src/kernel/accounts/chain/contracts.ts'
import type { ChainFault } from '../src/kernel/accounts/chain/fault.ts'
import { signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { noAnvil, startAnvil } from './anvil.ts'
import { COMPILED, compiled, compiledFile } from './contracts.ts'

const abiOf = (name: string): Abi => compiled(name).abi

test('the compiled contracts are those of the sources', () => {
  const compiled = compileContracts()
  assert.deepEqual(readdirSync(COMPILED).sort(), Object.keys(compiled).sort())
  for (const [file, content] of Object.entries(compiled)) {
    assert.equal(content, compiledFile(file), `${file}: run npm run generate`)
  }
})

/** Selectors and topics as published, so that these are the same as the deployed contracts'. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  IdGateway:
    'a035b1fe 26a49e37 4420e486 6d705ebb 3efa0b02 a0c7529c 7ecebe00 69615a4c 78e890ba 4980f288',
  IdRegistry:
    'aa677354 be45fd62 16f72842 3ab8465d 4c5cbb34 f1f0b224 9cbef8dc 2a42ede3 ba656434 d94fe832 ' +
    '65269e47 fa1a1b25 eb08ab28 32faac70 7ecebe00 69615a4c 78e890ba 4980f288',
  KeyGateway: '22b1a414 a005d3d2 7ecebe00 69615a4c 78e890ba 4980f288',
  KeyRegistry:
    '207e3d69 58edef4c 787bd966 ac34cc5a 0e24e34c 6840b75e 0ea9442c 1f64222f f27995e3 e33acf38 ' +
    'd8810395 7ecebe00 69615a4c 78e890ba 4980f288',
  SignedKeyRequestValidator: 'aa4e0ce8 5f93f453 78e890ba 4980f288',
  StorageRegistry: '783a112b a82c356e e73faa2d 26a49e37',
  Bundler: '26a49e37 a44c9ce7 455d0131',
}

const EVENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  IdRegistry: {
    Register: '0xf2e19a901b0748d8b08e428d0468896a039ac751ec4fec49b44b7b9c28097e45',
    Transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    Recover: '0xf6891c84a6c6af32a6d052172a8acc4c631b1d5057ffa2bc1da268b6938ea2da',
    ChangeRecoveryAddress: '0x8e700b803af43e14651431cd73c9fe7d11b131ad797576a70b893ce5766f65c3',
  },
  KeyRegistry: {
    Add: '0x7d285df41058466977811345cd453c0c52e8d841ffaabc74fc050f277ad4de02',
    Remove: '0x09e77066e0155f46785be12f6938a6b2e4be4381e59058129ce15f355cb96958',
  },
  StorageRegistry: {
    Rent: '0xaabd75b90fb7114eb9587a54f00ce5ebe8cb4a70627f3a6c26e506ffd771fe2f',
  },
}

const ERRORS: Readonly<Record<string, string>> = {
  InvalidSignature: '0x8baa579f',
  SignatureExpired: '0x0819bdcd',
  HasNoId: '0x210b4b26',
  HasId: '0xf90230a9',
  Unauthorized: '0x82b42900',
  InvalidState: '0xbaf3f0f7',
  ExceedsMaximum: '0x29264042',
  InvalidPayment: '0x3c6b4b28',
  InvalidBatchInput: '0x0a514b99',
  CallFailed: '0x3204506f',
  ValidatorNotFound: '0xb736f27f',
  InvalidMetadata: '0xbcecb64a',
  InvalidAmount: '0x2c5211c6',
  ExceedsCapacity: '0x2aa2ed72',
}

describe('the account contracts', () => {
  test('our contracts have the functions of the deployed ones', () => {
    for (const [name, published] of Object.entries(FUNCTIONS)) {
      const functions = abiOf(name).filter((item): item is AbiFunction => item.type === 'function')
      const selectors = new Set(functions.map((item) => toFunctionSelector(item).slice(2)))
      const missing = published.split(' ').filter((selector) => !selectors.has(selector))
      assert.deepEqual(missing, [], name)
    }
  })

  test('our contracts log the events of the deployed ones, with the same indexed fields', () => {
    for (const [name, published] of Object.entries(EVENTS)) {
      const events = abiOf(name).filter((item): item is AbiEvent => item.type === 'event')
      const topics = events.map((event) => [event.name, toEventSelector(event)])
      assert.deepEqual(Object.fromEntries(topics), published, name)
    }
  })

  test('our contracts revert with the errors of the deployed ones', () => {
    const errors = Object.keys(FUNCTIONS).flatMap((name) =>
      abiOf(name).filter((item) => item.type === 'error'),
    )
    const selectors = errors.map((error) => {
      const signature = formatAbiItem(error, { includeName: false })
      return [error.name, keccak256(toBytes(signature)).slice(0, 10)]
    })
    assert.deepEqual(Object.fromEntries(selectors), ERRORS)
  })
})

const TYPE_HASHES: readonly (readonly [contract: string, getter: string, hash: string])[] = [
  ['IdGateway', 'REGISTER', '0xda015cfdaa9f5cc1c418ff1c04a4cbd09fcecc68838ea2e0ec2bb42ce17da781'],
  ['IdRegistry', 'TRANSFER', '0xcdbe3d2a782931ab7e1b568857680f9812900b4702ab75d82ddfd270aaf595f5'],
  [
    'IdRegistry',
    'TRANSFER_AND_CHANGE_RECOVERY',
    '0x945a10ef569bd76eee6deb46dcc4541142d52149c7015b1cf0a68ead33382a9b',
  ],
  [
    'IdRegistry',
    'CHANGE_RECOVERY_ADDRESS',
    '0x73452d4f5155a3eca764048760f921bf1c1895c2982c18744c2cee4cf9bffc2b',
  ],
  ['KeyGateway', 'ADD', '0x4b433bd06b4af9895086805d78f8acbe4b07223722f4feff3ee4393feb4fd754'],
  ['KeyRegistry', 'REMOVE', '0x32e091a0c6fc95c826855f4e40ebda4957b528bd84c9062416ceb903082dabe4'],
  [
    'SignedKeyRequestValidator',
    'METADATA',
    '0x16be47f1f1f50a66a48db64eba3fd35c21439c23622e513aab5b902018aec438',
  ],
]

const DOMAINS: Readonly<Record<string, string>> = {
  IdRegistry: '0xe1b31bdbe66f9f4152b2cce1a6aae08b72ea880abb5cbc5e5ba67051c6b86ebb',
  IdGateway: '0x6e70fed4f2c753c975c3e4719374116df8165cf5ede9bf308f4d4d614f424b13',
  KeyRegistry: '0xff3ecb95b37f8812f0476e95e5aa93b8a55c60c43d2300e92854be3a1a380cf9',
  KeyGateway: '0xf44c21da8a87a6bc7004b59246498e3412f2bca217e65b3799c183a7da1dbb61',
  SignedKeyRequestValidator: '0x5736ad5aa807d8996c35df1ea3226e6929d12494c449524da8f474b972284fd8',
}

/** The published example: an app's request for a key, and the owner's signature that adds it. */
const APP = privateKeyToAccount(
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
)
const OWNER = privateKeyToAccount(
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
)
const REQUEST_FID = 9152n
const DEADLINE = 1893456000n
const KEY = '0xd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737'
const REQUEST_SIGNATURE =
  '0x7b1a9a9ec44c7b0382a6836a6461366fea1c960fbeba6285cd48a242fcd0567d069c3a0000d25729cf5aa28651bb5dd4df5ef5a0f37e6bf63e904ea88be96edb1b'
const ADD_SIGNATURE =
  '0x555deb9613fbde620d2996cd4b1041c238540b4ae66d23f148b24a46225598663f4119c377ddc7865c567b0efc3e3b2e735c9698a76e22b227e65f507c07b6b41c'

describe('the account contracts at the deployed addresses', { skip: noAnvil }, () => {
  let chain: Awaited<ReturnType<typeof startAnvil>>

  before(async () => {
    chain = await startAnvil(10)
    await placeContracts(chain.rpc, { unitPrice: 1000 })
  })
  after(() => chain?.close())

  const addressOf = (name: string): Hex =>
    AT[(name[0]!.toLowerCase() + name.slice(1)) as keyof ChainContracts]
  const read = (name: string, functionName: string, args: unknown[] = []) =>
    chain.client.readContract({ address: addressOf(name), abi: abiOf(name), functionName, args })
  const send = async (name: string, functionName: string, args: unknown[], value = 0n) => {
    const data = encodeFunctionData({ abi: abiOf(name), functionName, args })
    const hash = await chain.client.sendTransaction({ to: addressOf(name), data, value })
    return chain.client.waitForTransactionReceipt({ hash })
  }
  /** Asserts that a call would be refused in these words. */
  const refused = (
    expected: string,
    name: string,
    functionName: string,
    args: unknown[],
    value = 0,
  ) =>
    assert.rejects(
      chain.rpc('eth_call', [
        {
          from: chain.client.account.address,
          to: addressOf(name),
          data: encodeFunctionData({ abi: abiOf(name), functionName, args }),
          value: `0x${value.toString(16)}`,
        },
        'latest',
      ]),
      ({ data }: ChainFault) => String(data).startsWith(ERRORS[expected]!),
      expected,
    )
  const registerArgs = async (account: typeof APP) => {
    const nonce = Number(await read('IdGateway', 'nonces', [account.address]))
    const { signature } = await signRegister(account, { deadline: DEADLINE, nonce })
    return [account.address, `0x${'00'.repeat(20)}`, DEADLINE, toHex(signature)]
  }

  test('our contracts hash typed data like the deployed ones', async () => {
    for (const [name, getter, hash] of TYPE_HASHES) {
      assert.equal(await read(name, `${getter}_TYPEHASH`), hash, getter)
    }
    for (const [name, separator] of Object.entries(DOMAINS)) {
      assert.equal(await read(name, 'domainSeparatorV4'), separator, name)
    }
  })

  test('our contracts accept the published key request and signature', async () => {
    const request = {
      requestFid: REQUEST_FID,
      requestSigner: APP.address,
      signature: REQUEST_SIGNATURE,
      deadline: DEADLINE,
    }
    const metadata = (await read('SignedKeyRequestValidator', 'encodeMetadata', [request])) as Hex
    assert.equal(
      keccak256(metadata),
      '0xb20c5ca0691eae74e5a74842c372527691a90e1d6537658267324ee5a8da34a8',
    )
    // The next fid is that of the example.
    const last = `0x${(REQUEST_FID - 1n).toString(16).padStart(64, '0')}`
    await chain.rpc('anvil_setStorageAt', [AT.idRegistry, '0x1', last])
    assert.equal(await read('IdRegistry', 'idCounter'), REQUEST_FID - 1n)
    const [paid, due] = [5000n, (await read('IdGateway', 'price', [2n])) as bigint]
    for (const one of [APP, OWNER]) {
      await send('IdGateway', 'registerFor', [...(await registerArgs(one)), 2n], paid)
    }
    assert.equal(await read('IdRegistry', 'idOf', [OWNER.address]), REQUEST_FID + 1n)
    const balance = await chain.client.getBalance({ address: AT.storageRegistry })
    assert.deepEqual([due, balance], [3000n, 6000n], 'what was paid too much came back')

    const add = [OWNER.address, 1, KEY, 1, metadata, DEADLINE, ADD_SIGNATURE]
    const { logs } = await send('KeyGateway', 'addFor', add)
    const [event] = parseEventLogs({ abi: abiOf('KeyRegistry'), logs, eventName: 'Add' })
    const keyTopic = '0x75ac42ac9bcadc234dd36a3e2af4cccf719ddbd7a33e34f3840d53f794b8a799'
    assert.equal(logs[0]?.topics[3], keyTopic)
    assert.deepEqual(event?.args, {
      fid: REQUEST_FID + 1n,
      keyType: 1,
      key: keyTopic,
      keyBytes: KEY,
      metadataType: 1,
      metadata,
    })
    assert.deepEqual(await read('KeyRegistry', 'keysOf', [REQUEST_FID + 1n, 1]), [KEY])
    await refused('InvalidSignature', 'KeyGateway', 'addFor', add)
  })

  test('our contracts require the full price and return what is overpaid', async () => {
    const args = await registerArgs(stranger(1))
    await refused('InvalidPayment', 'IdGateway', 'registerFor', args, 999)
    const { logs } = await send('IdGateway', 'registerFor', args, 1000n)
    assert.equal(logs[1]?.topics[1], encodeAbiParameters([{ type: 'address' }], [AT.idGateway]))
    const [to, recovery, deadline, sig] = await registerArgs(stranger(2))
    const registration = { to, recovery, deadline, sig }
    await send('Bundler', 'register', [registration, [], 1n], 10_000n)
    const batch = [
      [1n, 2n, 3n],
      [1n, 0n, 1n],
    ]
    await send('StorageRegistry', 'batchRent', batch, 10_000n)
    for (const name of ['IdGateway', 'Bundler']) {
      assert.equal(await chain.client.getBalance({ address: addressOf(name) }), 0n, name)
    }
    await refused('InvalidBatchInput', 'StorageRegistry', 'batchRent', [[1n], []])
    await refused('InvalidAmount', 'StorageRegistry', 'rent', [1n, 0n])
    await refused('ExceedsCapacity', 'StorageRegistry', 'rent', [1n, 200_000n])
    await refused('InvalidPayment', 'StorageRegistry', 'rent', [1n, 1n], 999)
  })

  test('our registries accept calls only from their gateways, and gateways refuse stray payments', async () => {
    const { address } = stranger(3)
    await refused('Unauthorized', 'IdRegistry', 'register', [address, address])
    await refused('Unauthorized', 'KeyRegistry', 'add', [OWNER.address, 1, KEY, 1, '0x'])
    for (const to of [AT.idGateway, AT.bundler]) {
      const payment = { from: chain.client.account.address, to, value: '0x1' }
      await assert.rejects(chain.rpc('eth_call', [payment, 'latest']), ({ data }: ChainFault) => {
        return data === ERRORS.Unauthorized
      })
    }
  })
})

const stranger = (n: number) => privateKeyToAccount(`0x${String(n).padStart(64, '5')}`)
