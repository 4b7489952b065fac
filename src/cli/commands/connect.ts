import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import type { ClientConfig } from '../../config.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, SEED_BYTES } from '../../kernel/protocol/crypto/ed25519.ts'
import { signedKeyRequestTypedData, signTypedData } from '../../kernel/protocol/crypto/eip712.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import { keyRequestArgument, personArgument } from '../arguments.ts'
import { postJson } from '../client.ts'
import { Failure } from '../failure.ts'
import { forgetKey, readKeyFile, type SavedKey, saveKey } from '../key-file.ts'
import { knownKeysOf } from '../known-keys.ts'
import { hint, note, print, printJson } from '../output.ts'
import { checkCompleted, getDetails, type KeyRequest, qrCode, waitForEnd } from './key-request.ts'
import { accountDomainsOf, at, networkNow } from './network.ts'
import { asUser, type UserOptions } from './platform.ts'
import { findHolder } from './signer.ts'

/** One day, as the protocol recommends. */
const DEADLINE_SECONDS = DAY_SECONDS

type ConnectOptions = UserOptions & {
  readonly sponsor?: number
  readonly token?: string
  readonly wait: boolean
  readonly json?: true
}

/** Adds connect, with which an app requests a key from a user. */
export function addConnectCommand(program: Command, config: ClientConfig): void {
  asUser(program.command('connect'), config)
    .summary('request a key from a user, as an app does, and wait for approval')
    .description(
      'Creates a key, requests it with one of your accounts as the app, prints the link for the user,\n' +
        'and saves the key in the key file. Commands with --fid of that user then sign with it.',
    )
    .option('--sponsor <fid>', 'one of your accounts, which pays', personArgument)
    .option('--no-wait', 'print the token and exit; wait later with --token')
    .option('--token <token>', 'wait for the answer to an earlier request', keyRequestArgument)
    .option('--json', 'print the request as JSON')
    .addHelpText('after', '\nExample:\n  rookery connect --fid 1')
    .action(connect)
}

async function connect(options: ConnectOptions): Promise<void> {
  const request = options.token ? await getDetails(options, options.token) : await ask(options)
  const key = getSavedKey(options, request)
  if (!options.wait) return options.json ? printJson(request) : print(request.token)
  await finish(options, key, await waitForEnd(options, request.token))
}

/** Saves the key before the request is sent: a crash must not lose the key of an accepted request. */
async function ask(options: ConnectOptions): Promise<KeyRequest> {
  const body = await newRequest(options)
  let request: KeyRequest
  try {
    const answer = await postJson(at(options.platform, '/v2/signed-key-requests'), body.signed)
    request = answer.result.signedKeyRequest
  } catch (error) {
    // Without an answer the token is not known, so the request cannot be approved.
    forgetKey(options.keys, body.key)
    throw error
  }
  show(request)
  return request
}

async function newRequest(options: ConnectOptions) {
  const seed = new Uint8Array(randomBytes(SEED_BYTES))
  const publicKey = publicKeyOf(seed)
  const { fid: requestFid, custodyPrivateKey } = await findHolder(options, options.fid)
  const deadline = Math.floor((await networkNow(options)) / 1000) + DEADLINE_SECONDS
  const { signedKeyRequestValidator: domain } = await accountDomainsOf(options)
  const typedData = signedKeyRequestTypedData({ requestFid, key: publicKey, deadline }, domain)
  const signature = toHex(signTypedData(typedData, fromHex(custodyPrivateKey)!))
  const sponsorship = options.sponsor && (await sponsor(options, options.sponsor, signature))
  const key: SavedKey = {
    fid: 0,
    hub: options.hub,
    store: (await knownKeysOf(options)).store,
    appPublicKey: toHex(publicKey),
    appPrivateKey: toHex(seed),
  }
  saveKey(options.keys, key)
  const signed = { key: key.appPublicKey, requestFid, deadline, signature }
  return { key, signed: { ...signed, ...(sponsorship && { sponsorship }) } }
}

async function sponsor(options: ConnectOptions, sponsorFid: number, signature: string) {
  const { custodyPrivateKey } = await findHolder(options, sponsorFid)
  const message = { raw: signature as `0x${string}` }
  return {
    sponsorFid,
    signature: await privateKeyToAccount(custodyPrivateKey).signMessage({ message }),
  }
}

function show({ approvalUrl, deeplinkUrl, token }: KeyRequest): void {
  if (process.stderr.isTTY) note(qrCode(approvalUrl))
  note(`Approval page:         ${approvalUrl}`)
  note(`Link for wallet apps:  ${deeplinkUrl}`)
  note(`To wait again later:   ${hint(`connect --token ${token}`)}`)
}

function getSavedKey({ keys }: ConnectOptions, { key }: KeyRequest): SavedKey {
  const saved = readKeyFile(keys).keys.find((one) => one.appPublicKey === key.toLowerCase())
  if (saved) return saved
  throw new Failure(`${keys} does not contain the private key of this request`)
}

async function finish(options: ConnectOptions, key: SavedKey, request: KeyRequest): Promise<void> {
  if (request.state !== 'completed') forgetKey(options.keys, key)
  checkCompleted(request)
  saveKey(options.keys, { ...key, fid: request.userFid! })
  if (options.json) return printJson(request)
  print(`the key ${request.key} may sign for fid ${request.userFid}`)
  note(`The key is in ${options.keys}. Try: ${hint(`cast "Hello" --fid ${request.userFid}`)}`)
}
