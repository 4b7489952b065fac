import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  encodeAbiParameters,
  encodeDeployData,
  getContractAddress,
  type Hex,
  type LocalAccount,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import {
  alice,
  bob,
  carol,
  keyOf,
  LATER,
  NOW,
  refusal,
  sqlite,
  TEST_PHRASE,
} from '../../../test/accounts-support.ts'
import { noAnvil, startAnvil } from '../../../test/anvil.ts'
import { compiled } from '../../../test/contracts.ts'
import { placeContracts } from '../../dev/deploy.ts'
import { createChainCalls } from './chain/calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS } from './chain/contracts.ts'
import { createLedger } from './ledger.ts'
import type { AccountCalls } from './port.ts'
import { createEvmClients } from './signatures/evm.ts'
import {
  addressOf,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
  signTransfer,
} from './signatures/sign.ts'
import { verifySignature, walletSignatures } from './signatures/signature.ts'

// Contract wallets hold fids and sign like anybody, in the ledger and on a chain.

const CHAIN_ID = 10
const WALLET = compiled('Wallet')
/** On every anvil: deploys the code that follows the 32 bytes of salt. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const SALT: Hex = `0x${'2a'.repeat(32)}`
const ERC_6492_MAGIC = '6492'.repeat(16)

/** Signs with this key, and is somewhere else. */
const walletOf = (key: LocalAccount, address: Hex): LocalAccount => ({ ...key, address })

describe('contract wallets', { skip: noAnvil }, () => {
  let chain: Awaited<ReturnType<typeof startAnvil>>
  let close: () => Promise<void>
  const places = new Map<string, AccountCalls>()
  let vault: LocalAccount

  before(async () => {
    chain = await startAnvil(CHAIN_ID, ['--timestamp', String(NOW)])
    await chain.rpc('anvil_setBlockTimestampInterval', [0])
    await placeContracts(chain.rpc)
    vault = walletOf(alice, await chain.deploy(WALLET, [alice.address]))
    const [storage, remove] = await sqlite.open()
    const verify = walletSignatures(
      createEvmClients({ urls: { [CHAIN_ID]: [chain.url] } }),
      CHAIN_ID,
      { verify: verifySignature },
    )
    places.set('the ledger', createLedger({ storage, clock: { now: () => NOW * 1000 }, verify }))
    const contracts = DEPLOYED_CHAIN_CONTRACTS
    const payer = mnemonicToAccount(TEST_PHRASE, { addressIndex: 9 })
    const options = { rpc: chain.rpc, chainId: CHAIN_ID, contracts, payer, signupUnits: 1 }
    places.set('a chain', createChainCalls(options))
    close = async () => {
      await storage.close()
      await remove()
      await chain.close()
    }
  })
  after(() => close?.())

  for (const place of ['the ledger', 'a chain']) {
    test(`contract wallets sign up in ${place}, request keys as apps, add keys and transfer (ERC-1271)`, async () => {
      const calls = places.get(place)!
      const foreign = await signRegister(walletOf(bob, vault.address), { deadline: LATER })
      assert.equal(await refusal(calls.registerFor(foreign)), 'InvalidSignature signature')
      const { fid } = await calls.registerFor(await signRegister(vault, { deadline: LATER }))
      const request = { requestFid: fid, key: keyOf(1), deadline: LATER }
      const metadata = await signedKeyRequestMetadata(vault, request)
      const add = await signAdd(vault, { key: keyOf(1), metadata, deadline: LATER })
      assert.equal((await calls.addFor(add)).fid, fid)
      await calls.transferFor(await signTransfer(vault, carol, { fid, deadline: LATER }))
      assert.equal(await calls.nonce('idRegistry', addressOf(vault)), 1)
    })
  }

  test('contract wallets sign before they are deployed (ERC-6492) and after', async () => {
    const code = encodeDeployData({ ...WALLET, args: [bob.address] })
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: DEPLOYER,
      salt: SALT,
      bytecode: code,
    })
    const future = walletOf(bob, address)
    const signed = await signRegister(future, { deadline: LATER })
    const wrapped = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [DEPLOYER, `${SALT}${code.slice(2)}`, `0x${Buffer.from(signed.signature).toString('hex')}`],
    )
    const signature = Buffer.from(wrapped.slice(2) + ERC_6492_MAGIC, 'hex')
    const [ledger, contracts] = [places.get('the ledger')!, places.get('a chain')!]
    assert.equal(await refusal(ledger.registerFor(signed)), 'InvalidSignature signature')
    assert.equal(
      await refusal(contracts.registerFor({ ...signed, signature })),
      'InvalidSignature signature',
    )
    assert.equal((await ledger.registerFor({ ...signed, signature })).fid, 2)
    await chain.client.sendTransaction({ to: DEPLOYER, data: `${SALT}${code.slice(2)}` })
    assert.equal((await contracts.registerFor(signed)).fid, 2)
  })

  test('contract wallets do not make the ledger accept a plain signature in another form', async () => {
    const signed = await signRegister(carol, { deadline: LATER })
    const signature = signed.signature.slice()
    signature[64]! -= 27
    const calls = places.get('the ledger')!
    assert.equal(
      await refusal(calls.registerFor({ ...signed, signature })),
      'InvalidSignature signature',
    )
  })
})
