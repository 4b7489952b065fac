import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { shortHex } from '../../../shared/text.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { tell } from '../../act/notices.tsx'
import { makeEvent } from '../event.ts'
import type { EventName } from '../payload.ts'
import { walletConsents } from '../wallet/consents.ts'

type Props = {
  readonly browserKey: BrowserKey
  readonly domain: string
  readonly added: boolean
  readonly notifies: boolean
  /** Whether it can be added: its manifest is good. */
  readonly mayAdd: boolean
}

/** What the viewer has allowed an app, each with the way to take it back. */
export function Permissions({ browserKey, domain, added, notifies, mayAdd }: Props) {
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const consent = walletConsents.use(browserKey.fid)[domain]
  const make = async (event: EventName) => {
    setBusy(true)
    try {
      await makeEvent(browserKey, domain, event)
      await queries.invalidateQueries({
        predicate: ({ queryKey: [name] }) => String(name).includes('mini app'),
      })
    } catch (error) {
      tell(`That did not work. ${(error as Error).message}`)
    }
    setBusy(false)
  }
  return (
    <ul className="app-permissions">
      <li>
        <span>{added ? 'It is one of your apps' : 'It is not one of your apps'}</span>
        <button
          type="button"
          className="secondary"
          disabled={isBusy || !(added || mayAdd)}
          onClick={() => make(added ? 'miniapp_removed' : 'miniapp_added')}
        >
          {added ? `Remove ${domain}` : `Add ${domain}`}
        </button>
      </li>
      {added && (
        <li>
          <label className="check">
            <input
              type="checkbox"
              checked={notifies}
              disabled={isBusy}
              onChange={() => make(notifies ? 'notifications_disabled' : 'notifications_enabled')}
            />
            <span>
              It may notify you<span className="unseen">, {domain}</span>
            </span>
          </label>
        </li>
      )}
      {consent && (
        <li>
          <span>
            It sees <code>{shortHex(consent.address)}</code> of {consent.wallet}
          </span>
          <button
            type="button"
            className="secondary"
            onClick={() => walletConsents.remove(browserKey.fid, domain)}
          >
            Hide the address<span className="unseen"> from {domain}</span>
          </button>
        </li>
      )}
    </ul>
  )
}
