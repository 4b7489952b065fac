import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { t } from '../../../shared/messages.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { tell } from '../../act/notices.tsx'
import { isDevelopment } from '../../shell/development-panel.tsx'
import { getApp, getTerms, type HostTerms, type MiniAppDetails, tellOpened } from '../calls.ts'
import { domainOf } from '../domain.ts'
import type { Launch } from '../launch.ts'
import { AppHost, type HostPorts, type HostState, type RoomPorts } from './app-host.ts'
import type { Insets } from './context.ts'
import { answerCall } from './methods.ts'

type Options = {
  readonly launch: Launch
  readonly browserKey: BrowserKey
  readonly close: () => void
  readonly showPage: HostPorts['showPage']
  readonly openApp: (launch: Omit<Launch, 'id'>) => void
  readonly insets?: (() => Insets) | undefined
  readonly room?: RoomPorts | undefined
}

type Hosted = {
  readonly host: AppHost
  readonly state: HostState
  /** Undefined while it is read, and when there is no manifest that could be read. */
  readonly app: MiniAppDetails | undefined
}

/** Without the terms of the server there is no wallet. */
const NO_TERMS: HostTerms = { mode: 'off', chains: [], quickAuthOrigin: '', notificationsUrl: '' }

const insetsOfWindow = (): Insets => {
  const style = getComputedStyle(document.documentElement)
  const read = (side: string) => Number.parseFloat(style.getPropertyValue(`--inset-${side}`)) || 0
  return { top: 0, bottom: read('bottom'), left: read('left'), right: read('right') }
}

/** The host of one launch, for as long as the component is there. */
export function useAppHost(options: Options): Hosted {
  const { launch, browserKey, insets = insetsOfWindow, room } = options
  const domain = domainOf(launch.url)
  const queries = useQueryClient()
  const appKey = ['mini app', domain, browserKey.fid]
  const reading = {
    queryKey: appKey,
    queryFn: () => getApp(domain, browserKey),
    retry: false,
    staleTime: 0,
  }
  const { data: app } = useQuery(reading)
  const [host] = useState(() => createHost())
  const now = useRef(options)
  useEffect(() => {
    now.current = options
  })
  useEffect(() => {
    tellOpened(browserKey, domain).catch(() => {})
    return () => host.end(t('The app was closed.'))
  }, [host, browserKey, domain])
  return { host, state: useSyncExternalStore(host.subscribe, host.state), app }

  function createHost(): AppHost {
    let terms: Promise<HostTerms> | undefined
    let read: Promise<unknown> | undefined
    const ports: HostPorts = {
      launch,
      domain,
      key: browserKey,
      app: async () => {
        // Once: what a hostile app asks for again and again costs its user nothing.
        read ??= queries.ensureQueryData(reading).catch(() => undefined)
        await read
        return queries.getQueryData<MiniAppDetails>(appKey)
      },
      setApp: (change) =>
        queries.setQueryData<MiniAppDetails>(appKey, (known) => known && { ...known, ...change }),
      terms: () => {
        terms ??= getTerms().catch(() => NO_TERMS)
        return terms
      },
      insets,
      isDevelopment: isDevelopment(),
      close: () => now.current.close(),
      showPage: (path, options) => now.current.showPage(path, options),
      openApp: (next) => now.current.openApp(next),
      tell,
      room,
    }
    return new AppHost(ports, answerCall)
  }
}
