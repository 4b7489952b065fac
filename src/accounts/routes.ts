import type { Route } from '../http/route.ts'
import type { Ledger } from './ledger.ts'

/** The accounts interface: what wallets need to know, and the calls they make. */
export function accountRoutes(_ledger: Ledger): Route[] {
  return []
}

/** For the operations interface: events of another network. */
export function operatorAccountRoutes(_ledger: Ledger): Route[] {
  return []
}
