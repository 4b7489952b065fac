import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { fidArgument } from '../arguments.ts'
import { callsOf } from '../call-command.ts'
import { Calls } from '../calls.ts'
import { Refused, Unreachable } from '../client.ts'
import { Failure } from '../failure.ts'
import { hint } from '../output.ts'
import { serverOption } from './network.ts'

export type OperatorOptions = { readonly operations: string; readonly json?: true }

/** Adds the option of operator commands. */
export const asOperator = (command: Command, config: ClientConfig): Command =>
  command.addOption(
    serverOption('--operations <url>', 'address of the operations interface', config.opsUrl),
  )

const OTHER_VERSION =
  'It is not the operations interface of this version: use the program of the server, or see docs/deploying.md on upgrades'

/** The calls of the operations interface, which send ROOKERY_OPS_TOKEN when it is set. */
export const operatorCalls = (
  { operations: url }: OperatorOptions,
  { opsToken }: Pick<ClientConfig, 'opsToken'>,
): Calls<'operations'> =>
  new Calls({ url, ...(opsToken && { credentials: { bearer: opsToken } }) }, (error) => {
    // `npm start` is no advice for a production server.
    if (error instanceof Unreachable) {
      return new Failure(`${error.what}. Is the server running? See: ${hint('doctor')}`)
    }
    if (!(error instanceof Refused)) return error
    if (error.status === 404 && /no route/.test(error.message)) {
      return new Failure(`${error.message}. ${OTHER_VERSION}`)
    }
    if (error.code !== 'unauthenticated') return error
    const advice = opsToken
      ? 'ROOKERY_OPS_TOKEN is set, and is not the token of that server'
      : 'Set ROOKERY_OPS_TOKEN to the token that the server has'
    return new Failure(`${error.message}. ${advice}`)
  })

/** Declares a command that makes one call of the operations interface. */
export const operatorCall = callsOf({
  name: 'operations',
  addOptions: asOperator,
  connect: async (options: OperatorOptions, config) => ({
    calls: operatorCalls(options, config),
    fid: 0,
  }),
  // A name may belong to somebody else since the operator has read it.
  values: { fid: { help: 'fid of the account', parse: fidArgument } },
})
