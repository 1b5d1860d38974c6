import type { DeliveryFailureCode, WebhookDisabledCode } from '../../../contract/codes.ts'
import { translation } from '../core/language.ts'
import type { Translation } from '../core/translation.ts'

const failures: Readonly<Record<DeliveryFailureCode, Translation>> = {
  refused_by_policy: [
    'O Posthorn não pode enviar a esta URL. Ele envia por HTTPS, na porta 443, a endereços públicos e aos que o operador liberou (POSTHORN_WEBHOOK_ALLOW_CIDRS).',
    'Posthorn no puede enviar a esta URL. Envía por HTTPS, al puerto 443, a direcciones públicas y a las que autorizó el operador (POSTHORN_WEBHOOK_ALLOW_CIDRS).',
  ],
  unreachable: [
    'O Posthorn não conseguiu se conectar ao receptor. Verifique a URL, se o receptor está em execução e se o firewall dele deixa o Posthorn entrar.',
    'Posthorn no pudo conectarse al receptor. Verifica la URL, que el receptor esté en funcionamiento y que su firewall deje entrar a Posthorn.',
  ],
  tls_failed: [
    'Não foi possível abrir uma conexão criptografada com o receptor. Instale um certificado válido para o host, com os certificados intermediários.',
    'No se pudo abrir una conexión cifrada con el receptor. Instala un certificado válido para el host, con los certificados intermedios.',
  ],
  timeout: [
    'O receptor demorou demais: mais de 5 segundos para aceitar a conexão ou mais de 20 para responder. Faça-o responder primeiro e processar depois.',
    'El receptor tardó demasiado: más de 5 segundos en aceptar la conexión o más de 20 en responder. Haz que responda primero y procese después.',
  ],
  connection_lost: [
    'O receptor fechou a conexão antes de responder. A causa deve estar no log dele. O Posthorn envia o evento de novo com o mesmo ID.',
    'El receptor cerró la conexión antes de responder. La causa debería estar en su registro. Posthorn envía el evento de nuevo con el mismo ID.',
  ],
  invalid_answer: [
    'A resposta do receptor não é HTTP válido ou tem mais de 16 KB de cabeçalhos. Verifique o que responde na URL.',
    'La respuesta del receptor no es HTTP válido o tiene más de 16 KB de cabeceras. Verifica qué responde en la URL.',
  ],
  secret_unreadable: [
    'O segredo guardado do webhook não pode ser descriptografado. Gere um novo ou peça ao operador que restaure a chave mestra correta.',
    'El secreto guardado del webhook no se puede descifrar. Genera uno nuevo o pídele al operador que restaure la clave maestra correcta.',
  ],
  interrupted: [
    'O Posthorn encerrou a tentativa antes da resposta, por exemplo porque foi parado. Ele tenta de novo assim que possível.',
    'Posthorn terminó el intento antes de la respuesta, por ejemplo porque se detuvo. Lo vuelve a intentar en cuanto sea posible.',
  ],
}

const disabled: Readonly<Record<WebhookDisabledCode, Translation>> = {
  gone: [
    'O receptor respondeu 410 (Gone): não quer mais eventos. Se ele voltar, ative o webhook e reenvie os eventos perdidos.',
    'El receptor respondió 410 (Gone): no quiere más eventos. Si vuelve, activa el webhook y reenvía los eventos perdidos.',
  ],
  failing: [
    'Nenhuma entrega funcionou por cinco dias. As entregas mostram o que deu errado. Quando o receptor voltar, ative o webhook e reenvie os eventos perdidos.',
    'Ninguna entrega funcionó durante cinco días. Las entregas muestran qué falló. Cuando el receptor vuelva, activa el webhook y reenvía los eventos perdidos.',
  ],
}

interface Coded {
  readonly code: string
  readonly detail: string
}

/** Why an attempt to deliver an event came to no status, in the language of the page. */
export function deliveryFailureText({ code, detail }: Coded): string {
  return translation(failures, code) ?? detail
}

/** Why Posthorn disabled a webhook, in the language of the page. */
export function disabledText({ code, detail }: Coded): string {
  return translation(disabled, code) ?? detail
}
