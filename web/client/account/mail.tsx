import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { dateText } from '../../shared/text.ts'
import { changeRecovery } from '../act/account-calls.ts'
import { Text } from '../act/text-field.tsx'
import type { Opened } from '../custody/open.ts'
import { readRecovery } from '../custody/recovery-terms.ts'
import { ownerRequest } from '../custody/server.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

type OwnMail = { address: string | null; pending: string | null; refusedAt: number | null }

const NOBODY = `0x${'00'.repeat(20)}`
const MAX_ADDRESS_CHARACTERS = 254

/** Whether this server sends e-mail. */
export const useMailTerms = () =>
  useQuery({
    queryKey: ['mail terms'],
    queryFn: () => fetchJson<{ isOn: boolean }>('/accounts/v1/mail'),
  })

/** The e-mail address of the account, where the server sends mail. */
export function Mail({ fid, opened }: PartProps) {
  const terms = useMailTerms()
  if (!terms.data?.isOn) return null
  return (
    <section className="account-part" aria-labelledby="mail">
      <h2 id="mail">E-mail</h2>
      <p className="muted">
        Nobody sees your address. You are told there what touches the security of your account.
      </p>
      {opened ? <OwnAddress fid={fid} opened={opened} /> : <p>Unlock your account to see it.</p>}
    </section>
  )
}

function OwnAddress({ fid, opened }: { fid: number; opened: Opened }) {
  const { connection } = opened
  const own = useQuery({
    queryKey: ['own mail', fid],
    queryFn: async () =>
      post<OwnMail>('own', await ownerRequest(connection, fid, 'read mail address')),
  })
  const queries = useQueryClient()
  const service = useService(fid)
  const [address, setAddress] = useState('')
  const [isWayBack, setWayBack] = useState(false)
  const { isBusy, run, said } = useWork()
  const add = () =>
    run(async () => {
      const text = address.trim()
      if (text.toLowerCase() === own.data?.address) return 'This is your address already.'
      const request = await ownerRequest(connection, fid, `add mail address ${text}`)
      await post('address', { ...request, address: text })
      if (service && isWayBack) {
        await changeRecovery(connection, service.address)
        await queries.invalidateQueries({ queryKey: ['account', fid] })
      }
      setAddress('')
      await own.refetch()
      return 'A link is on its way. Press the button on the page that it opens, within an hour.'
    })
  const remove = () =>
    run(async () => {
      await post('remove', await ownerRequest(connection, fid, 'remove mail address'))
      await own.refetch()
      return 'Removed. Your recovery address is as it was.'
    })
  if (own.error) return <Notice tone="bad">{own.error.message}</Notice>
  const { address: now, pending, refusedAt } = own.data ?? {}
  return (
    <>
      {now && (
        <p>
          <bdi>{now}</bdi>{' '}
          <button type="button" className="link" disabled={isBusy} onClick={remove}>
            Remove it
          </button>
        </p>
      )}
      {refusedAt != null && (
        <Notice tone="warn">
          Mails come back since {dateText(refusedAt)}: look whether the address is still right.
        </Notice>
      )}
      {pending && (
        <p className="muted">
          <bdi>{pending}</bdi> waits for its link to be opened.
        </p>
      )}
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <Text
          label={now ? 'Another address' : 'Your e-mail address'}
          help="A link is sent there."
          type="email"
          autoComplete="email"
          value={address}
          maxLength={MAX_ADDRESS_CHARACTERS}
          onChange={setAddress}
        />
        {service && (
          <label className="way">
            <input
              type="checkbox"
              checked={isWayBack}
              onChange={({ target }) => setWayBack(target.checked)}
            />
            <span>
              If I lose everything, a link that is sent there brings the account back
              <span className="muted detail">
                Whoever can read your mail can take the account then, unless you stop it within{' '}
                {service.waitDays} days. You can change this later under “Recovery address”.
              </span>
            </span>
          </label>
        )}
        <p className="buttons">
          <button type="submit" className="secondary" disabled={isBusy || !address.includes('@')}>
            Send the link
          </button>
        </p>
      </form>
      {said}
    </>
  )
}

const post = <T,>(call: string, body: object): Promise<T> =>
  fetchJson<T>(`/accounts/v1/mail/${call}`, { method: 'POST', body })

/** The recovery service of the server, while nobody may recover the account: without a recovery address a mail brings nothing back. */
function useService(fid: number) {
  const recovery = useQuery({ queryKey: ['recovery', fid], queryFn: () => readRecovery(fid) })
  const account = useQuery({
    queryKey: ['account', fid],
    queryFn: () =>
      fetchJson<{ recoveryAddress: string }>('/accounts/v1/account', { query: { fid } }),
  })
  return account.data?.recoveryAddress === NOBODY ? recovery.data?.service : undefined
}
