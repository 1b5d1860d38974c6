/** Why an attempt to deliver an event came to no status. */
export const deliveryFailures = {
  refused_by_policy:
    'Posthorn no puede enviar a esta URL. Envía por HTTPS, al puerto 443, a direcciones públicas y a las que autorizó el operador (POSTHORN_WEBHOOK_ALLOW_CIDRS).',
  unreachable:
    'Posthorn no pudo conectarse al receptor. Verifica la URL, que el receptor esté en funcionamiento y que su firewall deje entrar a Posthorn.',
  tls_failed:
    'No se pudo abrir una conexión cifrada con el receptor. Instala un certificado válido para el host, con los certificados intermedios.',
  timeout:
    'El receptor tardó demasiado: más de 5 segundos en aceptar la conexión o más de 20 en responder. Haz que responda primero y procese después.',
  connection_lost:
    'El receptor cerró la conexión antes de responder. La causa debería estar en su registro. Posthorn envía el evento de nuevo con el mismo ID.',
  invalid_answer:
    'La respuesta del receptor no es HTTP válido o tiene más de 16 KB de cabeceras. Verifica qué responde en la URL.',
  redirected:
    'El receptor respondió con una redirección. Posthorn no la sigue, porque los eventos son para un solo host. Si la URL de destino es tuya, ponla como URL del webhook.',
  secret_unreadable:
    'El secreto guardado del webhook no se puede descifrar. Genera uno nuevo o pídele al operador que restaure la clave maestra correcta.',
  interrupted:
    'Posthorn terminó el intento antes de la respuesta, por ejemplo porque se detuvo. Lo vuelve a intentar en cuanto sea posible.',
} as const

/** Why Posthorn disabled a webhook. */
export const disabled = {
  gone: 'El receptor respondió 410 (Gone): no quiere más eventos. Si vuelve, activa el webhook y reenvía los eventos perdidos.',
  failing:
    'Ninguna entrega funcionó durante cinco días. Las entregas muestran qué falló. Cuando el receptor vuelva, activa el webhook y reenvía los eventos perdidos.',
} as const
