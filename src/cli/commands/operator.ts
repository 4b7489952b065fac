import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { askWithToken, Refused } from '../client.ts'
import { Failure } from '../failure.ts'
import { at } from './network.ts'

export type OperatorOptions = { readonly operations: string }

/** Adds the option of operator commands. */
export const asOperator = (command: Command, config: ClientConfig): Command =>
  command.option('--operations <url>', 'address of the operations interface', config.opsUrl)

type Call = { readonly method?: string; readonly path: string; readonly body?: object }

/** Makes a function that calls the operations interface and sends ROOKERY_OPS_TOKEN when it is set. */
export const operatorCaller =
  ({ opsToken }: Pick<ClientConfig, 'opsToken'>) =>
  ({ operations }: OperatorOptions, { method = 'GET', path, body }: Call) =>
    askOperations(at(operations, path), { method, token: opsToken, body })

/** Calls the operations interface. A refused token is explained by the setting that names it. */
export async function askOperations(url: string, call: Parameters<typeof askWithToken>[1]) {
  try {
    return await askWithToken(url, call)
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'unauthenticated') throw error
    const advice = call.token
      ? 'ROOKERY_OPS_TOKEN is set, and is not the token of that server'
      : 'Set ROOKERY_OPS_TOKEN to the token that the server has'
    throw new Failure(`${error.message}. ${advice}`)
  }
}

export type AskOperator = ReturnType<typeof operatorCaller>
