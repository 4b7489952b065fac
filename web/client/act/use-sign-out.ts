import { forgetAccount } from '../session/account-storage.ts'
import { useSession } from '../session/session.tsx'
import { forgetDraftsOf } from './drafts.ts'
import { forgetKey } from './key-store.ts'
import { clearOverrides } from './overrides.ts'

/**
 * Signs out. Whoever uses this browser next has neither a key of the account nor what was kept of it; `become(undefined)` alone would
 * leave those.
 */
export function useSignOut(): () => Promise<void> {
  const { fid, become } = useSession()
  return async () => {
    if (fid !== undefined) {
      await forgetKey(fid)
      forgetDraftsOf(fid)
      forgetAccount(fid)
    }
    clearOverrides()
    become(undefined)
  }
}
