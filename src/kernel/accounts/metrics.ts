import { Counter, type Registry } from 'prom-client'
import { Rejection } from '../protocol/rejection.ts'
import type { AccountCalls } from './port.ts'

/** The same calls, counting what users register. */
export function countSignups(registry: Registry, calls: AccountCalls): AccountCalls {
  const signups = new Counter({
    name: 'rookery_signups_total',
    help: 'Registrations that users asked this process for, by outcome (succeeded, or the code of the refusal)',
    labelNames: ['outcome'],
    registers: [registry],
  })
  signups.inc({ outcome: 'succeeded' }, 0)
  const counted =
    <Call extends unknown[], Result>(call: (...args: Call) => Promise<Result>) =>
    async (...args: Call): Promise<Result> => {
      try {
        const result = await call(...args)
        signups.inc({ outcome: 'succeeded' })
        return result
      } catch (error) {
        signups.inc({ outcome: error instanceof Rejection ? error.code : 'internal_error' })
        throw error
      }
    }
  return {
    ...calls,
    registerFor: counted(calls.registerFor),
    register: counted(calls.register),
  }
}
