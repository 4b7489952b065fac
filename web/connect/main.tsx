import { show } from '../shared/page.tsx'
import { ConnectPage } from './connect-page.tsx'

const token = new URLSearchParams(location.search).get('token')
show(<ConnectPage token={token || undefined} />)
