import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { channelIdArgument, listOf } from '../arguments.ts'
import { Failure } from '../failure.ts'
import { printResult } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCalls } from './operator.ts'

/** Adds reserve, for channel ids that users may not register. */
export function addReserveCommand(program: Command, config: ClientConfig): void {
  asOperator(program.command('reserve'), config)
    .summary('reserve channel ids (operator)')
    .description('Without ids, prints the reserved ids. Sends ROOKERY_OPS_TOKEN.')
    .argument('[ids...]', 'channel ids', listOf(channelIdArgument))
    .option('--undo', 'remove the reservation')
    .addHelpText('after', '\nExample:\n  rookery reserve help news')
    .action(async (ids: string[], { undo, ...options }: OperatorOptions & { undo?: true }) => {
      const calls = operatorCalls(options, config)
      if (ids.length > 0) {
        await calls.ask(
          undo ? 'DELETE /platform/channels/reserved' : 'POST /platform/channels/reserved',
          { ids },
        )
        const text = `${ids.join(', ')}: ${undo ? 'not reserved' : 'reserved'}`
        return printResult(options, { ids, reserved: !undo }, text)
      }
      if (undo) throw new Failure('give the ids whose reservation ends')
      for await (const { result } of calls.pages('GET /platform/channels/reserved')) {
        for (const id of result.ids) printResult(options, id, id)
      }
    })
}
