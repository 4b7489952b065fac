import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { fromHex, toHex } from '../protocol/bytes.ts'
import { ADD_KEY_TYPES, signTypedData, type TypedData } from '../protocol/eip712.ts'
import { addressOfPrivateKey } from '../protocol/secp256k1.ts'
import { keyRequestArgument } from './arguments.ts'
import { askWithToken } from './client.ts'
import { Failure } from './failure.ts'
import { checkCompleted, type Details, getDetails, isOver, waitForEnd } from './key-request.ts'
import { at } from './network.ts'
import { note, oneLine, print, printJson } from './output.ts'
import { askAsUser, asUser, type UserOptions } from './platform.ts'
import { findHolder, type Holder } from './signer.ts'

const NAME_CHARACTERS = 32

type ApproveOptions = UserOptions & { readonly json?: true }

/** approve and deny: what a user does with a request of an app. */
export function addApproveCommands(program: Command, config: ClientConfig): void {
  const acting = (name: string) =>
    asUser(program.command(name), config).argument(
      '<request>',
      'the token of the request, or a link with it',
      keyRequestArgument,
    )
  acting('approve')
    .summary('let an app sign for you')
    .option('--json', 'print the request as the platform gives it')
    .addHelpText('after', '\nExample:\n  rookery approve 0x5f0c... --fid 2')
    .action(approve)
  acting('deny')
    .summary('decline what an app asks for')
    .addHelpText('after', '\nExample:\n  rookery deny 0x5f0c... --fid 2')
    .action(async (token: string, options: UserOptions) => {
      const call = { method: 'PUT', path: '/v2/deny-signed-key-request', body: { token } }
      await askAsUser(options, call)
      print('the request is denied')
    })
}

async function approve(token: string, options: ApproveOptions): Promise<void> {
  const user = await findHolder(options, options.fid)
  const details = await getDetails(options, token, user.fid)
  const { app, key } = details
  note(`${nameOf(app)} asks to sign for fid ${user.fid} by ${key}`)
  const body = { token, userFid: user.fid, ...signAdd(user, details) }
  const path = at(options.platform, '/v2/approve-signed-key-requests')
  const { result } = await askWithToken(path, { method: 'PUT', token: undefined, body })
  if (result.transaction) {
    printJson(result.transaction)
    note('Nobody sends this here: send it to the chain from an account that pays for it.')
    return
  }
  const request = isOver(result.signedKeyRequest)
    ? result.signedKeyRequest
    : await waitForEnd(options, token)
  checkCompleted(request)
  if (options.json) printJson(request)
  else print(`fid ${app.fid} may sign for fid ${user.fid} by ${key}`)
}

const nameOf = ({ fid, username }: Details['app']): string =>
  username === undefined ? `fid ${fid}` : `${oneLine(username, NAME_CHARACTERS)} (fid ${fid})`

/** The server says what to sign; it has to be this key for this account, and nothing else. */
function signAdd({ custodyPrivateKey }: Holder, details: Details) {
  const { state, keyState, typedData } = details
  if (keyState !== undefined && keyState !== 'none') {
    throw new Failure(`this key is ${keyState} already; the app has to ask for another`)
  }
  if (!typedData) throw new Failure(`the request is ${state} already`)
  const privateKey = fromHex(custodyPrivateKey)!
  const { message } = typedData
  const owner = toHex(addressOfPrivateKey(privateKey))
  if (!isSame(message.owner, owner) || !isSame(message.key, details.key)) {
    throw new Failure('the server wants something else signed than it shows; nothing was signed')
  }
  const add = { domain: typedData.domain, types: ADD_KEY_TYPES, primaryType: 'Add', message }
  const signature = toHex(signTypedData(add as TypedData, privateKey))
  return { deadline: Number(message.deadline), signature }
}

const isSame = (a: unknown, b: string) =>
  typeof a === 'string' && a.toLowerCase() === b.toLowerCase()
