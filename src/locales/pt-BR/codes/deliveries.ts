/** Why an attempt to deliver an event came to no status. */
export const deliveryFailures = {
  refused_by_policy:
    'O Posthorn não pode enviar a esta URL. Ele envia por HTTPS, na porta 443, a endereços públicos e aos que o operador liberou (POSTHORN_WEBHOOK_ALLOW_CIDRS).',
  unreachable:
    'O Posthorn não conseguiu se conectar ao receptor. Verifique a URL, se o receptor está em execução e se o firewall dele deixa o Posthorn entrar.',
  tls_failed:
    'Não foi possível abrir uma conexão criptografada com o receptor. Instale um certificado válido para o host, com os certificados intermediários.',
  timeout:
    'O receptor demorou demais: mais de 5 segundos para aceitar a conexão ou mais de 20 para responder. Faça-o responder primeiro e processar depois.',
  connection_lost:
    'O receptor fechou a conexão antes de responder. A causa deve estar no log dele. O Posthorn envia o evento de novo com o mesmo ID.',
  invalid_answer:
    'A resposta do receptor não é HTTP válido ou tem mais de 16 KB de cabeçalhos. Verifique o que responde na URL.',
  redirected:
    'O receptor respondeu com um redirecionamento. O Posthorn não o segue, porque os eventos são para um único host. Se a URL de destino for sua, defina-a como URL do webhook.',
  secret_unreadable:
    'O segredo guardado do webhook não pode ser descriptografado. Gere um novo ou peça ao operador que restaure a chave mestra correta.',
  interrupted:
    'O Posthorn encerrou a tentativa antes da resposta, por exemplo porque foi parado. Ele tenta de novo assim que possível.',
} as const

/** Why Posthorn disabled a webhook. */
export const disabled = {
  gone: 'O receptor respondeu 410 (Gone): não quer mais eventos. Se ele voltar, ative o webhook e reenvie os eventos perdidos.',
  failing:
    'Nenhuma entrega funcionou por cinco dias. As entregas mostram o que deu errado. Quando o receptor voltar, ative o webhook e reenvie os eventos perdidos.',
} as const
