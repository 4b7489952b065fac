import type { Command } from 'commander'
import type { ClientConfig } from '../config.ts'
import { Failure } from './failure.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'
import { print } from './output.ts'

const PATH = '/platform/channels/reserved'

type ReserveOptions = OperatorOptions & { undo?: true }

/** reserve: ids of channels that users may not take. */
export function addReserveCommand(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  asOperator(program.command('reserve'), config)
    .summary('keep ids of channels from users (operator)')
    .description('Without ids, prints those that are reserved. ROOKERY_OPS_TOKEN is sent.')
    .argument('[ids...]', 'which ids')
    .option('--undo', 'let users have them again')
    .addHelpText('after', '\nExample:\n  rookery reserve help news')
    .action(async (ids: string[], options: ReserveOptions) => {
      if (ids.length > 0) return reserve(ask, ids, options)
      if (options.undo) throw new Failure('say which ids users may have again')
      for await (const id of reservedIds(ask, options)) print(id)
    })
}

async function reserve(ask: AskOperator, ids: string[], options: ReserveOptions): Promise<void> {
  await ask(options, { method: options.undo ? 'DELETE' : 'POST', path: PATH, body: { ids } })
  print(`${ids.join(', ')}: ${options.undo ? 'free for users' : 'reserved'}`)
}

async function* reservedIds(ask: AskOperator, options: OperatorOptions): AsyncGenerator<string> {
  let cursor: string | undefined
  do {
    const page = await ask(options, { path: cursor ? `${PATH}?cursor=${cursor}` : PATH })
    yield* page.result.ids
    cursor = page.next?.cursor
  } while (cursor !== undefined)
}
