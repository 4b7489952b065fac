import { useEffect, useState } from 'react'
import { getApproval } from '../shared/api.ts'
import type { Approval } from '../types.ts'
import { explain } from '../wallets/provider.ts'

type Found = { address: string; approval?: Approval; error?: string }

/** The request as shown to the account at an address; undefined while it is loading. */
export function useAccount(token: string, address: string | undefined): Found | undefined {
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    if (address === undefined) return
    let isCurrent = true
    getApproval(token, address).then(
      (approval) => isCurrent && setFound({ address, approval }),
      (reason) => isCurrent && setFound({ address, error: explain(reason) }),
    )
    return () => {
      isCurrent = false
    }
  }, [token, address])
  return found?.address === address ? found : undefined
}
