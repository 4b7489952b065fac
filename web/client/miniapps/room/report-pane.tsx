import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../../shared/copy-button.tsx'
import { fetchJson } from '../../../shared/request.ts'
import { tell } from '../../act/notices.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import type { Fault } from '../calls.ts'
import { domainOf } from '../domain.ts'
import { actingWallet } from '../host/remembered-wallet.ts'
import { ScrollList } from './scroll-list.tsx'
import { countOf } from './words.ts'

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
  const errors = data?.faults.filter(({ severity }) => severity === 'error') ?? []
  const warnings = data?.faults.filter(({ severity }) => severity === 'warning') ?? []
  const faults = [...errors, ...warnings]
  return (
    <details className="room-pane" open>
      <summary>
        Manifest and page
        {data && ` (${countOf(errors.length, 'fault')}, ${countOf(warnings.length, 'warning')})`}
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
      <ScrollList label="Faults and warnings">
        <ul className="room-faults">
          {faults.map(({ severity, code, path, message, fix }) => (
            <li key={`${code} ${path} ${message}`} className={severity}>
              <p>
                <strong>{severity === 'error' ? 'Fault' : 'Warning'}</strong>{' '}
                {path && <code>{path}</code>} {message}
              </p>
              <p className="muted">
                {fix} <CopySnippet fix={fix} />
              </p>
            </li>
          ))}
        </ul>
      </ScrollList>
    </details>
  )
}

/** Markup that a fix says to paste can be copied. */
function CopySnippet({ fix }: { fix: string }) {
  const snippet = /<meta .*>/.exec(fix)?.[0]
  return snippet ? <CopyButton value={snippet} text="Copy the tag" /> : null
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
