import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { channelIdArgument, listOf } from '../arguments.ts'
import { Failure } from '../failure.ts'
import { printResult } from '../output.ts'
import { type AskOperator, asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const PATH = '/platform/channels/reserved'

type ReserveOptions = OperatorOptions & { undo?: true; json?: true }

/** Adds reserve, for channel ids that users may not register. */
export function addReserveCommand(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  asOperator(program.command('reserve'), config)
    .summary('reserve channel ids (operator)')
    .description('Without ids, prints the reserved ids. Sends ROOKERY_OPS_TOKEN.')
    .argument('[ids...]', 'channel ids', listOf(channelIdArgument))
    .option('--undo', 'remove the reservation')
    .addHelpText('after', '\nExample:\n  rookery reserve help news')
    .action(async (ids: string[], options: ReserveOptions) => {
      if (ids.length > 0) return reserve(ask, ids, options)
      if (options.undo) throw new Failure('give the ids whose reservation ends')
      for await (const id of reservedIds(ask, options)) printResult(options, id, id)
    })
}

async function reserve(ask: AskOperator, ids: string[], options: ReserveOptions): Promise<void> {
  await ask(options, { method: options.undo ? 'DELETE' : 'POST', path: PATH, body: { ids } })
  const reserved = !options.undo
  const text = `${ids.join(', ')}: ${reserved ? 'reserved' : 'not reserved'}`
  printResult(options, { ids, reserved }, text)
}

async function* reservedIds(ask: AskOperator, options: OperatorOptions): AsyncGenerator<string> {
  let cursor: string | undefined
  do {
    const page = await ask(options, { path: cursor ? `${PATH}?cursor=${cursor}` : PATH })
    yield* page.result.ids
    cursor = page.next?.cursor
  } while (cursor !== undefined)
}
