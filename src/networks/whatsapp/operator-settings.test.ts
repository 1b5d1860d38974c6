import { anyText, testSettings } from '../../../test/kit/config/setting-cases.ts'

testSettings({
  POSTHORN_WHATSAPP_VERSION: {
    good: { '2.3000.1043857760': [2, 3000, 1043857760] },
    bad: ['2.3000', 'v2.3000.1', '2.3000.1.1', '2.3000.-1'],
  },
  POSTHORN_WHATSAPP_BROWSER: {
    good: { 'Ubuntu, Chrome, 22.04.4': ['Ubuntu', 'Chrome', '22.04.4'], 'A,B,1': ['A', 'B', '1'] },
    bad: ['Chrome', 'A, B', 'A, B, 1, 2', ', Chrome, 1', 'A\\n, B, 1'],
  },
  POSTHORN_WHATSAPP_WORKER_MEMORY_MB: { good: { '128': 128 }, bad: ['127', '65537', 'off'] },
  POSTHORN_WHATSAPP_WORKERS: { good: { '1': 1, '99': 99 }, bad: ['0', '100', 'off', 'x'] },
  POSTHORN_WHATSAPP_SERVER: {
    good: { 'wss://127.0.0.1:8443/ws/chat': 'wss://127.0.0.1:8443/ws/chat' },
    bad: ['ws://127.0.0.1:8443/ws/chat', 'https://example.org', 'wss://a:b@example.org', 'wss://x?y', 'x'],
  },
  POSTHORN_WHATSAPP_CA_FILE: anyText,
  POSTHORN_WHATSAPP_ROOT_KEY: {
    good: { ['AB'.repeat(32)]: 'ab'.repeat(32) },
    bad: ['ab', 'xy'.repeat(32), 'ab'.repeat(33)],
  },
})
