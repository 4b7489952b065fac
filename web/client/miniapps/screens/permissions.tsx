import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../shared/messages.ts'
import { rich } from '../../../shared/rich.tsx'
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
      tell(t('That did not work. {message}', { message: (error as Error).message }))
    }
    setBusy(false)
  }
  return (
    <ul className="app-permissions">
      <li>
        <span>{added ? t('It is one of your apps') : t('It is not one of your apps')}</span>
        <button
          type="button"
          className="secondary"
          disabled={isBusy || !(added || mayAdd)}
          onClick={() => make(added ? 'miniapp_removed' : 'miniapp_added')}
        >
          {added ? t('Remove {domain}', { domain }) : t('Add {domain}', { domain })}
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
              {t('It may notify you')}
              <span className="unseen">, {domain}</span>
            </span>
          </label>
        </li>
      )}
      {consent && (
        <li>
          <span>
            {rich('It sees {address} of {wallet}', {
              address: <code>{shortHex(consent.address)}</code>,
              wallet: consent.wallet,
            })}
          </span>
          <button
            type="button"
            className="secondary"
            onClick={() => walletConsents.remove(browserKey.fid, domain)}
          >
            {rich('Hide the address <unseen>from {domain}</unseen>', {
              domain,
              unseen: (inner) => <span className="unseen">{inner}</span>,
            })}
          </button>
        </li>
      )}
    </ul>
  )
}
