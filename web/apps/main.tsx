import { show } from '../shared/page.tsx'
import { AppsPage } from './apps-page.tsx'

const fid = Number(new URLSearchParams(location.search).get('fid'))
show(<AppsPage fid={Number.isSafeInteger(fid) && fid > 0 ? fid : undefined} />)
