import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../../shared/copy-button.tsx'
import { fetchJson } from '../../../shared/request.ts'
import { tell } from '../../act/notices.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import type { Fault } from '../calls.ts'
import { domainOf } from '../domain.ts'
import { actingWallet } from '../host/remembered-wallet.ts'

type Report = {
  readonly faults: readonly Fault[]
  readonly manifest?: unknown
  readonly embed?: unknown
}

export const readReport = (url: string): Promise<Report> =>
  fetchJson<Report>('/dev/mini-app-report', { query: { url } })

/** What the server finds wrong with the manifest, the page and its headers, each with its fix. */
export function ReportPane({ url, fid }: { url: string; fid: number }) {
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: ['mini app report', url],
    queryFn: () => readReport(url),
    retry: false,
    staleTime: 0,
  })
  const faults = data?.faults ?? []
  const errors = faults.filter(({ severity }) => severity === 'error')
  return (
    <details className="room-pane" open>
      <summary>
        Manifest and page
        {data && ` (${errors.length} faults, ${faults.length - errors.length} warnings)`}
      </summary>
      <p className="room-tools">
        <button type="button" className="secondary" disabled={isFetching} onClick={() => refetch()}>
          Read again
        </button>
        <button
          type="button"
          className="secondary"
          onClick={() => copyAssociation(fid, domainOf(url)).catch((error) => tell(error.message))}
        >
          Sign this domain
        </button>
      </p>
      {isPending && <Loading what="Reading the manifest" rows={1} />}
      {error && <Failed error={error} retry={refetch} />}
      {data && faults.length === 0 && <p>Nothing is wrong.</p>}
      <ul className="room-faults">
        {faults.map(({ severity, code, path, message, fix }) => (
          <li key={`${code} ${path} ${message}`} className={severity}>
            <p>
              <strong>{severity === 'error' ? 'Fault' : 'Warning'}</strong>{' '}
              {path && <code>{path}</code>} {message}
            </p>
            <p className="muted">
              {fix} <CopyButton value={fix} what="fix" />
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The association for the manifest, signed by the wallet of the account that acts. */
async function copyAssociation(fid: number, domain: string): Promise<void> {
  const [wallet, { signDomain }] = await Promise.all([
    actingWallet(fid),
    import('../host/sign-in.tsx'),
  ])
  if (!wallet) throw new Error('The wallet of this account is not a development wallet.')
  const accountAssociation = await signDomain(wallet, fid, domain)
  await navigator.clipboard.writeText(JSON.stringify({ accountAssociation }, null, 2))
  tell(`The association of ${domain} with account ${fid} was copied. It goes into the manifest.`)
}
