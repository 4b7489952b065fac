import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { askWithToken } from './client.ts'
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
    askWithToken(at(operations, path), { method, token: opsToken, body })

export type AskOperator = ReturnType<typeof operatorCaller>
