import numpy as np

np.random.seed(0)

T_x, T_y = 6, 4
n_x, n_y = 10, 8          # vocabulary sizes
n_a, n_s = 12, 7          # encoder / decoder units


def init(*shape):
    return np.random.randn(*shape) * 0.1


params = {
    'Wax': init(n_a, n_x), 'Waa': init(n_a, n_a), 'ba': np.zeros((n_a, 1)),
    'Wsy': init(n_s, n_y), 'Wsc': init(n_s, n_a), 'Wss': init(n_s, n_s), 'bs': np.zeros((n_s, 1)),
    'Wal': init(n_s, n_a),
    'Wo': init(n_y, n_s), 'bo': np.zeros((n_y, 1)),
}


def softmax(z):
    e = np.exp(z - np.max(z, axis=0))
    return e / e.sum(axis=0)


def encode(x, p):
    a = np.zeros((n_a, 1))
    states = []
    for t in range(x.shape[1]):
        a = np.tanh(p['Wax'] @ x[:, [t]] + p['Waa'] @ a + p['ba'])
        states.append(a)
    return np.hstack(states)


def one_step_attention(a, s_prev, p):
    energies = np.dot(a.T, np.dot(p['Wal'].T, s_prev))
    alphas = softmax(energies)
    return np.dot(a, alphas), alphas


def run():
    x = np.eye(n_x)[np.random.randint(0, n_x, T_x)].T
    a = encode(x, params)
    s, y = np.zeros((n_s, 1)), np.zeros((n_y, 1))
    attention = np.zeros((T_y, T_x))
    for t in range(T_y):
        context, alphas = one_step_attention(a, s, params)
        s = np.tanh(params['Wsy'] @ y + params['Wsc'] @ context + params['Wss'] @ s + params['bs'])
        y = softmax(params['Wo'] @ s + params['bo'])
        attention[t] = alphas[:, 0]
    return attention


if __name__ == '__main__':
    print(run().round(3))
