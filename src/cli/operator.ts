import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { askWithToken } from './client.ts'
import { at } from './network.ts'

export type OperatorOptions = { readonly operations: string }

/** The option of commands for the operator. */
export const asOperator = (command: Command, config: ClientConfig): Command =>
  command.option('--operations <url>', 'address of the operations interface', config.opsUrl)

type Call = { readonly method?: string; readonly path: string; readonly body?: object }

/** Makes the caller of the operations interface: ROOKERY_OPS_TOKEN is sent when it is set. */
export const operatorCaller =
  ({ opsToken }: Pick<ClientConfig, 'opsToken'>) =>
  ({ operations }: OperatorOptions, { method = 'GET', path, body }: Call) =>
    askWithToken(at(operations, path), { method, token: opsToken, body })

export type AskOperator = ReturnType<typeof operatorCaller>
